-- Refuses a dump whose newest processing date is more than one day after the day of the dump, or more than three weeks
-- before it. A processing date of the next day passes, since the clock of the registry may be ahead. A delta is not
-- refused for an old processing date, since it may contain old answers of the registry.
with touched as (
    select file.*, night.dump_date, night.dump_kind, night.dump_date - file.processed_until as day_count
    from stage.file
    cross join stage.night
    where file.processed_until is not null
    order by file.processed_until desc, file.is_joined desc, file.file_no desc
    limit 1
)

select
    format('%s goes up to %s: it is no dump of %s', file, processed_until, dump_date) as refusal,
    file,
    abs(day_count) as value,
    case when day_count < 0 then 1 else 21 end as limit_value
from touched
where day_count < -1 or dump_kind = 'full' and day_count > 21;
