-- Refuses a dump with too many impossible dates: more than `registry.guard_rows`, and more than 0.5 % of its rows. Many
-- impossible dates mean that the registry has changed its date format.
with wrong as (
    select
        sum(notice.row_count) as date_count,
        min(notice.value) as example,
        (select sum(file.read_count) from stage.file) as read_count
    from stage.notice
    where notice.subject in ('date', 'day')
)

select
    format(
        '%s dates of %s rows cannot be: %s %%, the limit is 0.5 %%; one is %s',
        registry.figure(date_count), registry.figure(read_count),
        registry.percent(date_count, read_count), example
    ) as refusal,
    registry.percent(date_count, read_count) as value,
    0.5 as limit_value
from wrong
where date_count > registry.guard_rows() and date_count > 0.005 * read_count;
