-- Refuses a full dump whose files all equal, byte for byte, the files of the last dump. A stale dump is the last dump,
-- perhaps in another archive. A dump with only some unchanged files passes, since a file may have no changes on a day.
select
    format(
        'all %s files hold, byte for byte, what they held on %s: the dump is stale',
        count(*), run.dump_date
    ) as refusal,
    count(*) as value,
    count(*) - 1 as limit_value
from stage.night
join registry.run on run.run_id = night.compared_run_id
join registry.run_file as last_file on last_file.run_id = run.run_id
left join stage.file
    on (file.file_key, file.content_hash) = (last_file.file_key, last_file.content_hash)
where night.dump_kind = 'full'
group by run.dump_date
having count(*) = count(file.file_key) and count(*) = (select count(*) from stage.file);
