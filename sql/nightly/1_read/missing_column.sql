-- Replaces the view stage.mapped, so that the fields of a column that a file lacks keep yesterday's values. The field
-- of an optional column keeps yesterday's value only if no other column states a value. In a new entry, the field of a
-- missing column is unknown, and its first value on a later day makes no event. A file without a required column is
-- refused by check/guard_missing_column.sql until the operator accepts it.
alter view stage.mapped rename to mapped_alone;

create view stage.missing_field as
select missing_column.record_file_no, missing_column.is_optional, entry_column.*
from stage.missing_column
cross join lateral unnest(missing_column.tells) as stated (name)
join registry.entry_column on entry_column.stated_as = stated.name;

-- Holds one row per file whose records lack a column, with the subjects of events about the column's fields.
create unlogged table stage.unknown_subject as
select missing_field.record_file_no, array_agg(distinct subject.value) as subjects
from stage.missing_field
cross join lateral unnest(missing_field.subjects) as subject (value)
where not missing_field.is_optional
group by missing_field.record_file_no;

do $do$
begin
    execute (
        with kept as (
            select
                column_name,
                coalesce(array_agg(record_file_no) filter (where not is_optional), '{}') as lacking,
                coalesce(array_agg(record_file_no) filter (where is_optional), '{}')
                    as lacking_optional
            from stage.missing_field
            group by column_name
        )

        select format(
            'create view stage.mapped as
            select
                %s,
                nullif(
                    coalesce(%s, ''{}'') || array(
                        select subject.value
                        from unnest(unknown_subject.subjects) as subject (value)
                        where known.entry_id is null or subject.value = any(known.unstated)
                    ),
                    ''{}''
                ) as unstated
            from (select * from stage.mapped_alone offset 0) as mapped
            left join stage.unknown_subject on unknown_subject.record_file_no = mapped.file_no
            left join registry.entry as known
                on known.source = %L and known.entry_key = mapped.entry_key',
            string_agg(
                format(
                    '%s as %I',
                    case
                        when kept.column_name is null then format('mapped.%I', column_name)
                        -- An entry key that is made from several columns is unknown if one of the columns is missing.
                        when column_name = 'entry_key' then format(
                            'case
                                when
                                    mapped.file_no <> all(%L::integer[])
                                    or jsonb_strip_nulls(to_jsonb(mapped)) ?| ''{nip, regon9, krs}''
                                    then mapped.entry_key
                            end',
                            kept.lacking
                        )
                        else format(
                            'case
                                when known.entry_id is not null and mapped.file_no = any(%2$L::integer[])
                                    then known.%1$I::%4$s
                                when mapped.file_no = any(%3$L::integer[])
                                    then coalesce(mapped.%1$I, known.%1$I::%4$s)
                                else mapped.%1$I
                            end',
                            column_name, kept.lacking, kept.lacking_optional,
                            format_type(atttypid, atttypmod)
                        )
                    end,
                    column_name
                ),
                ', ' order by attnum
            ) filter (where column_name <> 'unstated'),
            coalesce(max('mapped.unstated') filter (where column_name = 'unstated'), 'null::text[]'),
            (select night.source from stage.night)
        )
        from pg_attribute
        cross join lateral (select attname::text as column_name) as named
        left join kept using (column_name)
        where attrelid = 'stage.mapped_alone'::regclass and attnum > 0
    );
end;
$do$;
