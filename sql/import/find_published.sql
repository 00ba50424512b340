-- Returns one row: the day of the newest published dump of the source $1, and of the newest full dump (null if none).
select
    max(run.dump_date) as newest,
    max(run.dump_date) filter (where run.dump_kind = 'full') as full
from registry.run
where run.source = $1 and run.state = 'published'
