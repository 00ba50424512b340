-- The counts of the fields of a registry's entries against the entries as they are.
select
    format(
        '%s %s entries are said to have the field %s, there are %s',
        registry.figure(coalesce(fill.filled_count, 0)), found.source, found.field,
        registry.figure(found.filled_count)
    ) as finding
from registry.count_filled(
    format(
        'select * from registry.entry
        where source = %L and gone_date is null and declared_status <> ''DELETED''',
        $1::text
    )
) as found
left join registry.fill
    on fill.source = found.source
    and fill.stat_date = 'infinity'
    and fill.field = found.field
where coalesce(fill.filled_count, 0) <> found.filled_count;
