-- Writes how many entries of the registry have each field: what they had, changed by what the night changed.
select
    registry.change_fill(
        'select * from stage.before where gone_date is null and declared_status <> ''DELETED''
        union all
        select entry.*
        from (
            -- A set, which no plan looks through for each entry.
            select vanished.entry_id from stage.vanished where not vanished.waits
            except
            select before.entry_id from stage.before
        ) as gone
        join stage.vanished using (entry_id)
        join registry.entry using (company_id, entry_id)
        where entry.declared_status <> ''DELETED''
        union all
        -- What gone.sql has withheld.
        select before.*
        from stage.vanished
        join stage.before using (entry_id)
        where not vanished.waits and before.declared_status <> ''DELETED''',
        -1
    ),
    registry.change_fill(
        'select * from stage.after where gone_date is null and declared_status <> ''DELETED''',
        1
    ),
    registry.change_fill(
        'select *
        from stage.entry
        where
            reason is null
            and gone_date is null
            and declared_status <> ''DELETED''
            and not exists (
                select from stage.pair
                where pair.file_no = entry.file_no and pair.line = entry.line
            )',
        1
    );

insert into registry.fill (source, stat_date, field, filled_count)
select fill.source, night.dump_date, fill.field, fill.filled_count
from registry.fill
join stage.night using (source)
where fill.stat_date = 'infinity' and not night.is_import;
