-- What came of the answers, before the documents are normalised: what is counted is what speaks of an
-- entry, and what could not be read. Values are cut, since they are part of a key.

analyze stage.document;

insert into stage.notice (subject, value, row_count)
select
    outcome.subject,
    left(outcome.value, 200),
    count(*)
from stage.outcome
group by outcome.subject, left(outcome.value, 200);

update stage.file
set
    read_count = counted.read_count,
    line_count = counted.line_count,
    lines_before = counted.lines_before
from (
    select
        file.file_no,
        coalesce(place.read_count, 0) as read_count,
        coalesce(place.line_count, 0) as line_count,
        coalesce(
            sum(place.line_count) over (
                order by file.file_no rows between unbounded preceding and 1 preceding
            ),
            0
        ) as lines_before
    from stage.file
    left join (
        select
            place.file_no,
            count(*) as read_count,
            max(place.line) as line_count
        from (
            select document.file_no, document.line from stage.document
            union all
            select reject.file_no, reject.line from stage.reject
        ) as place
        group by place.file_no
    ) as place using (file_no)
) as counted
where file.file_no = counted.file_no;
