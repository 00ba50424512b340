-- A file that equals, byte for byte, the file of an earlier day than the last: a file of the wrong day.
-- A few rows may well return to an earlier state.
with touched as (
    select after.file_key from stage.after
    union all
    select new_entry.file_key from stage.new_entry
    union all
    select vanished.file_key from stage.vanished
)

select
    format(
        '%s is, byte for byte, that of %s; that of %s was another one',
        file.file,
        max(run.dump_date),
        last_run.dump_date
    ) as refusal,
    file.file,
    last_run.dump_date - max(run.dump_date) as value,
    0 as limit_value
from stage.file
cross join stage.night
join registry.run as last_run on last_run.run_id = night.previous_run_id
join registry.run_file as last_file
    on last_file.run_id = last_run.run_id
    and last_file.file_key = file.file_key
    and last_file.sha256 <> file.sha256
join registry.run_file
    on run_file.file_key = file.file_key
    and run_file.sha256 = file.sha256
join registry.run
    on run.run_id = run_file.run_id
    and run.source = night.source
    and run.state = 'published'
where
    night.dump_kind = 'full'
    and file.file_key in (
        select touched.file_key
        from touched
        group by touched.file_key
        having count(*) > 20
    )
group by file.file, last_run.dump_date
order by file.file;
