-- Refuses a full dump with fewer than 98 % or more than 105 % of the rows of the last dump. Joined files are compared
-- one by one too, since their rows are of different kinds.
with row_count as (
    select
        null as file,
        run.read_count as yesterday,
        (select sum(file.read_count) from stage.file) as today
    from stage.night
    join registry.run on run.run_id = night.compared_run_id
    where night.dump_kind = 'full'
    union all
    select
        file.file,
        run_file.read_count,
        file.read_count
    from stage.night
    join registry.run_file on run_file.run_id = night.compared_run_id
    join stage.file using (file_key)
    where night.dump_kind = 'full' and file.is_joined
)

select
    format(
        '%s%s rows where there were %s last time: %s %%, the limits are 98 %% and 105 %%',
        row_count.file || ': ',
        registry.figure(row_count.today),
        registry.figure(row_count.yesterday),
        round(100 * row_count.today / nullif(row_count.yesterday, 0), 2)
    ) as refusal,
    row_count.file,
    round(100 * row_count.today / nullif(row_count.yesterday, 0), 2) as value,
    case when row_count.today < row_count.yesterday then 98 else 105 end as limit_value
from row_count
where
    abs(row_count.today - row_count.yesterday) > 20
    and (
        row_count.today < 0.98 * row_count.yesterday
        or row_count.today > 1.05 * row_count.yesterday
    );
