-- Records the files, rejected rows and notices of a run, even if the run is refused.

insert into registry.run_file
select run_file.*
from stage.file as part
cross join stage.night
cross join lateral (
    select night.run_id, count(*) as rejected_count, part.read_count - count(*) as entry_count
    from stage.reject
    where reject.file_no = part.file_no
) as added
cross join lateral jsonb_populate_record(
    null::registry.run_file, to_jsonb(part) || to_jsonb(added)
) as run_file;

insert into registry.reject (run_id, file, line, reject_code, reason, raw)
select
    night.run_id, file.file, reject.line, reject.reject_code, reject.reason,
    -- For a row about a person who asked to be forgotten, only the file and line are stored, without the text.
    case
        when
            exists (
                select from stage.withdrawn
                where withdrawn.file_no = reject.file_no and withdrawn.line = reject.line
            )
            or exists (
                select from person.numbers_in(reject.raw) as number
                where
                    exists (select from person.suppressed_key)
                    and person.hashes(night.source, number, number)
                    && array(select suppressed_key.key_hash from person.suppressed_key)
            )
            then ''
        else reject.raw
    end
from stage.reject
join stage.file using (file_no)
cross join stage.night;

insert into registry.reject_count (run_id, reject_code, row_count)
select night.run_id, reject.reject_code, count(*)
from stage.reject
cross join stage.night
group by night.run_id, reject.reject_code;

-- Records the notices. The value of a notice is cut to 200 characters, since it is part of a unique key.
insert into registry.notice (run_id, subject, value, row_count)
select
    night.run_id,
    notice.subject,
    left(notice.value, 200),
    sum(notice.row_count)
from stage.notice
cross join stage.night
group by night.run_id, notice.subject, left(notice.value, 200);
