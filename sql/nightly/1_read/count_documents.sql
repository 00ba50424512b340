-- Counts the documents (what a registry answered about one entry) and the rejected rows of each file.

analyze stage.document;

-- The field `odd` of an answer lists the unknown values that the reader of the source has found in the answer.
insert into stage.notice (subject, value)
select odd.value ->> 'subject', odd.value ->> 'value'
from stage.answer
cross join lateral jsonb_array_elements(answer.answer -> 'odd') as odd (value);

update stage.file
set
    read_count = place.read_count,
    line_count = place.line_count
from (
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
) as place
where file.file_no = place.file_no;
