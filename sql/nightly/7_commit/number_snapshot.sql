-- Numbers the snapshot, as the last step before `publish` of pipeline/night/nightly.ts commits. `reserveEventIds` of
-- nightly.ts has reserved the event ids that 5_publish/events.sql assigns. A session that was opened after a failover
-- is refused by pipeline/night/fence.ts.
delete from registry.reserved_id
using stage.night
where reserved_id.run_id = night.run_id;

select registry.end_publication(
    night.first_event_id, night.last_event_id, night.country_code
)
from stage.night;
