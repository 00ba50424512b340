-- Refuses a full dump that has fewer than 98 % or more than 105 % of the rows of the last dump. If a source joins
-- several files (units and establishments), each file is compared too, since its rows are of another kind. A difference
-- of at most `registry.guard_rows` rows (02_figures.sql) passes.
with row_count as (
    select
        null as file,
        run.read_count as yesterday,
        (select sum(file.read_count) from stage.file) as today
    from stage.night
    join registry.run on run.run_id = night.compared_run_id
    where night.dump_kind = 'full'
    union all
    select file.file, run_file.read_count, file.read_count
    from stage.night
    join registry.run_file on run_file.run_id = night.compared_run_id
    join stage.file using (file_key)
    where night.dump_kind = 'full' and file.is_joined
)

select
    format(
        '%s%s rows where there were %s last time: %s %%, the limits are 98 %% and 105 %%',
        file || ': ', registry.figure(today), registry.figure(yesterday),
        registry.percent(today, yesterday)
    ) as refusal,
    file,
    registry.percent(today, yesterday) as value,
    case when today < yesterday then 98 else 105 end as limit_value
from row_count
where
    abs(today - yesterday) > registry.guard_rows()
    and today not between 0.98 * yesterday and 1.05 * yesterday;
