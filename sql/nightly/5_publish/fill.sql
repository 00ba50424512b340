-- Writes how many entries of the registry have each field: what they had, changed by what the night changed.
select
    registry.change_fill(
        'select * from stage.before where gone_date is null and declared_status <> ''DELETED''
        union all
        select entry.*
        from stage.vanished
        join registry.entry using (company_id, entry_id)
        where
            not vanished.waits
            and entry.declared_status <> ''DELETED''
            and not exists (
                select from stage.before
                where before.entry_id = entry.entry_id
            )
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
