-- Values are tidied before they reach the database.
drop function if exists registry.squeeze(text);
