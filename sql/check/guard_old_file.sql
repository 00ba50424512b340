-- Refuses a file that equals the file of an earlier day but differs from the file of the last dump: the registry has
-- delivered a file of the wrong day. A file without rows passes, since such a file may be empty on several days. A dump
-- that is older than the newest published dump is refused in pipeline/night/check-date-and-same-files.ts.
select
    format(
        '%s holds, byte for byte, what it held on %s; on %s it held something else',
        file.file, max(run.dump_date), last_run.dump_date
    ) as refusal,
    file.file,
    last_run.dump_date - max(run.dump_date) as value,
    0 as limit_value
from stage.file
cross join stage.night
join registry.run as last_run on last_run.run_id = night.compared_run_id
join registry.run_file as last_file
    on last_file.run_id = last_run.run_id
    and last_file.file_key = file.file_key
    and last_file.content_hash <> file.content_hash
join registry.run_file
    on (run_file.file_key, run_file.content_hash) = (file.file_key, file.content_hash)
join registry.run
    on run.run_id = run_file.run_id
    and run.source = night.source
    and run.state = 'published'
where night.dump_kind = 'full' and file.read_count > 0
group by file.file, last_run.dump_date
order by file.file;
