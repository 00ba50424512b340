-- Refuses a dump with more than 20 impossible dates, in more than 0.5 % of its rows: the form of dates has changed.
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
        registry.figure(wrong.date_count),
        registry.figure(wrong.read_count),
        share.value,
        wrong.example
    ) as refusal,
    null as file,
    share.value,
    0.5 as limit_value
from wrong
cross join lateral (
    select round(100.0 * wrong.date_count / nullif(wrong.read_count, 0), 2) as value
) as share
where wrong.date_count > 20 and wrong.date_count > 0.005 * wrong.read_count;
