-- Refuses a full dump that lacks a file of the last dump.
select
    format(
        '%s is missing: it held %s entries last time',
        run_file.file,
        registry.figure(run_file.entry_count)
    ) as refusal,
    run_file.file,
    run_file.entry_count as value,
    0 as limit_value
from registry.run_file
join stage.night on night.compared_run_id = run_file.run_id
where
    night.dump_kind = 'full'
    and not exists (
        select from stage.file
        where file.file_key = run_file.file_key
    )
order by run_file.entry_count desc, run_file.file_key;
