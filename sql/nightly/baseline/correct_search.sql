-- The very first companies, as correct.sql: those of several entries are shown by 4e_search.sql.
delete from stage.first_search
using stage.correction
where first_search.company_id = correction.entry_id;
