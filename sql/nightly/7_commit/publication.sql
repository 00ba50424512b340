-- Ends the publication: the last statement before the commit by `publish` of pipeline/night/nightly.ts.
-- pipeline/night/fence.ts refuses a session after a failover.

delete from registry.reserved_id
using stage.night
where reserved_id.run_id = night.run_id;

select registry.end_publication(
    night.first_event_id, night.last_event_id, night.country_code
)
from stage.night;
