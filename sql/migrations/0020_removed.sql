-- Removes what release 2.0.0 has beyond this version: a function, and the names of files of functions.
drop function if exists registry.series(text, text, date, date, text, text, text, bigint);

delete from registry.applied_migration
where name in ('function/02_figures.sql', 'function/24_series.sql');
