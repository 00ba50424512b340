-- Records the files, rejects and notices of a run. Runs also for a refused run.

insert into registry.run_file (
    run_id, file_key, file, byte_count, sha256, content_hash, read_count, rejected_count, entry_count
)
select
    night.run_id,
    file.file_key,
    file.file,
    file.byte_count,
    file.sha256,
    file.content_hash,
    file.read_count,
    rejected.row_count,
    file.read_count - rejected.row_count
from stage.file
cross join stage.night
cross join lateral (
    select count(*) as row_count
    from stage.reject
    where reject.file_no = file.file_no
) as rejected;

insert into registry.reject (run_id, file, line, reason, raw)
select
    night.run_id,
    file.file,
    reject.line,
    reject.reason,
    reject.raw
from stage.reject
join stage.file using (file_no)
cross join stage.night;

-- A value is cut, since it is part of a key.
insert into registry.notice (run_id, subject, value, row_count)
select
    night.run_id,
    notice.subject,
    left(notice.value, 200),
    sum(notice.row_count)
from stage.notice
cross join stage.night
group by night.run_id, notice.subject, left(notice.value, 200);
