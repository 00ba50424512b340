-- Refuses a dump with more than 20 and more than 0.5 % rejected rows, or with rejected rows alone. Up to 20 rejected
-- rows alone pass if all of them are repeats, or if the dump lists deletions.
with rejected as (
    select
        count(*) as row_count,
        count(*) filter (where not reject.is_repeat) as bad_count,
        (select sum(file.read_count) from stage.file) as read_count
    from stage.reject
),

example as (
    select format('%s, line %s: %s', file.file, reject.line, reject.reason) as text
    from stage.reject
    join stage.file using (file_no)
    order by reject.file_no, reject.line
    limit 1
)

select
    format(
        '%s of %s rows were rejected: %s %%, the limit is 0.5 %%; the first is %s',
        registry.figure(rejected.row_count),
        registry.figure(rejected.read_count),
        round(100.0 * rejected.row_count / rejected.read_count, 2),
        example.text
    ) as refusal,
    null as file,
    round(100.0 * rejected.row_count / rejected.read_count, 2) as value,
    0.5 as limit_value
from rejected
cross join example
where
    rejected.row_count > 20
    and rejected.row_count > 0.005 * rejected.read_count
    or rejected.bad_count > 0
    and rejected.row_count = rejected.read_count
    and not exists (select from stage.deleted_key);
