-- The very first companies, as correct.sql, by the bits and places too: those of several entries are
-- shown by 4e_search.sql.
delete from registry.search
using stage.correction
where search.company_id = correction.entry_id;
