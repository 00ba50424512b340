-- The days of the calendar that nearly all records mention: every file is joined with them several
-- times, and to hash all of the calendar takes as long as to look at thousands of records.
create table registry.recent_day (
    written text not null,
    day date not null,
    constraint recent_day_pkey primary key (written)
);

insert into registry.recent_day (written, day)
select
    calendar.written,
    calendar.day
from registry.calendar
where calendar.day between '1985-01-01' and '2034-12-31';

analyze registry.recent_day;
