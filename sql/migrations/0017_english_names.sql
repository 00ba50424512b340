-- The English names beside the Polish ones; sql/function/00_dictionary.sql loads them from the files of
-- the dictionaries. A row that has gone from its file has none.
alter table registry.activity_section add column name_en text;
alter table registry.legal_form add column label_en text;
