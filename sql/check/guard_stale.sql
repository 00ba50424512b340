-- Refuses a full dump whose files all equal the files of the last dump, byte for byte. Such a dump was delivered
-- again, perhaps packed again. A single file may well be the same on a quiet day.
with same as (
    select
        run.dump_date,
        count(*) as file_count,
        count(file.file_key) as same_count
    from stage.night
    join registry.run on run.run_id = night.compared_run_id
    join registry.run_file as last_file on last_file.run_id = run.run_id
    left join stage.file
        on file.file_key = last_file.file_key
        and file.content_hash = last_file.content_hash
    where night.dump_kind = 'full'
    group by run.dump_date
)

select
    format(
        'all %s files hold, byte for byte, what they held on %s: the dump is stale',
        same.file_count,
        same.dump_date
    ) as refusal,
    null as file,
    same.same_count as value,
    same.file_count - 1 as limit_value
from same
where
    same.same_count = same.file_count
    and same.file_count = (select count(*) from stage.file);
