-- Refuses a full dump that lacks a file which the last full dump of the registry had.
select
    format(
        '%s is missing: it held %s entries last time', file, registry.figure(entry_count)
    ) as refusal,
    file,
    entry_count as value,
    0 as limit_value
from registry.run_file
join stage.night on night.compared_run_id = run_file.run_id
where
    night.dump_kind = 'full'
    and run_file.file_key not in (select file.file_key from stage.file)
order by entry_count desc, file_key;
