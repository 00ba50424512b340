-- Returns the REGON9 numbers of the list $1 whose company is watched, one per row in ascending order.
select distinct entry.regon9
from unnest($1::text[]) as listed (regon9)
join registry.entry using (regon9)
join customer.watch using (company_id)
order by entry.regon9
