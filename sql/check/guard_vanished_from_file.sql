-- More than 2 % of the entries of one file vanished.
with vanished as (
    select
        run_file.file,
        run_file.file_key,
        run_file.entry_count,
        count(*) as row_count
    from stage.vanished
    cross join stage.night
    join registry.run_file
        on run_file.run_id = night.previous_run_id
        and run_file.file_key = vanished.file_key
    where night.dump_kind = 'full' and not vanished.waits
    group by run_file.file, run_file.file_key, run_file.entry_count
)

select
    format(
        '%s: %s of %s entries vanished: %s %%, the limit is 2 %%',
        vanished.file,
        vanished.row_count,
        vanished.entry_count,
        round(100.0 * vanished.row_count / nullif(vanished.entry_count, 0), 2)
    ) as refusal,
    vanished.file,
    round(100.0 * vanished.row_count / nullif(vanished.entry_count, 0), 2) as value,
    2 as limit_value
from vanished
where
    vanished.row_count > 20
    and vanished.row_count > 0.02 * vanished.entry_count
order by value desc, vanished.file_key;
