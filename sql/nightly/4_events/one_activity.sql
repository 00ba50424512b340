-- Turns changed activities into events for a registry that states only the main activity. A company that moves
-- to another classification keeps its activity if its new code is the announced code. Without an announced
-- code, the new code must be one of the codes of the official key.
insert into stage.event (company_id, entry_id, event_type, old_value, new_value)
select
    after.company_id,
    after.entry_id,
    case
        when before.activity_main is null then 'COMPANY_ACTIVITY_ADDED'
        when after.activity_main is null then 'COMPANY_ACTIVITY_REMOVED'
        when
            before.activity_version <> after.activity_version
            and coalesce(
                after.activity_main = before.announced_activity,
                exists (
                    select from registry.activity_recoding
                    where
                        (from_version, from_code, to_version, to_code) in (
                            (
                                before.activity_version, before.activity_main,
                                after.activity_version, after.activity_main
                            ),
                            (
                                after.activity_version, after.activity_main,
                                before.activity_version, before.activity_main
                            )
                        )
                )
            )
            then 'COMPANY_ACTIVITIES_RECLASSIFIED'
        else 'COMPANY_MAIN_ACTIVITY_CHANGED'
    end,
    before.activity_main,
    after.activity_main
from stage.before
join stage.after using (entry_id)
where
    (select night.has_one_activity from stage.night)
    and before.activity_main is distinct from after.activity_main;
