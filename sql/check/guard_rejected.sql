-- Refuses a dump whose rejected rows are more than `registry.guard_rows` and more than 0.5 % of all its rows. Also
-- refuses a dump whose rows are all rejected. Exception: a dump of at most `registry.guard_rows` rows passes if all are
-- repetitions, or if the dump lists deleted entries.
with rejected as (
    select
        count(*) as row_count,
        count(*) filter (where reject.reject_code <> 'repetition') as bad_count,
        (select sum(file.read_count) from stage.file) as read_count
    from stage.reject
)

select
    format(
        '%s of %s rows were rejected: %s %%, the limit is 0.5 %%; the first is %s, line %s: %s',
        registry.figure(row_count), registry.figure(read_count),
        registry.percent(row_count, read_count), first.file, first.line, first.reason
    ) as refusal,
    registry.percent(row_count, read_count) as value,
    0.5 as limit_value
from rejected
cross join (
    select file.file, reject.line, reject.reason
    from stage.reject
    join stage.file using (file_no)
    order by file_no, line
    limit 1
) as first
where
    row_count > registry.guard_rows() and row_count > 0.005 * read_count
    or bad_count > 0 and row_count = read_count and not exists (select from stage.deleted_key);
