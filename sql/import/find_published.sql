-- Returns one row: the days of the newest published dump and of the newest published full dump of the source $1, or null.
select
    max(run.dump_date) as newest,
    max(run.dump_date) filter (where run.dump_kind = 'full') as full
from registry.run
where run.source = $1 and run.state = 'published'
