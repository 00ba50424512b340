-- Of the very first companies, those of several entries are shown by 4e_search.sql. Their bits and places
-- were left out.
delete from stage.first_search
using stage.correction
where first_search.company_id = correction.entry_id;
