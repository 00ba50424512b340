-- Reserves one id per new entry, which is a record without a row in stage.pair. In a first snapshot, ids are computed
-- from line numbers, so that a line without an entry also uses an id.
update stage.night
set entry_id_before = registry.reserve_ids(
    night.run_id,
    'entry',
    case
        when night.is_baseline then (select coalesce(sum(file.line_count), 0)::bigint from stage.file)
        else (select count(*) from stage.entry where entry.reason is null)
        - (select count(*) from stage.pair)
    end
);
