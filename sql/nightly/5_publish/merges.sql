-- Merges linked companies. From here on, the tables of the night name the remaining companies, except stage.before,
-- which is the state of yesterday.
do $$
declare
    list regclass;
begin
    foreach list in array '{stage.after, stage.vanished, stage.due, stage.event}'::regclass[] loop
        execute format(
            'update %s as moved
            set company_id = merged_company.into_company_id
            from stage.merged_company
            where moved.company_id = merged_company.company_id',
            list
        );
    end loop;
end;
$$;

update registry.entry
set company_id = merged_company.into_company_id
from stage.merged_company
where entry.company_id = merged_company.company_id;

update registry.event
set company_id = merged_company.into_company_id
from stage.merged_company
where event.company_id = merged_company.company_id;

update registry.corroboration
set company_id = merged_company.into_company_id
from stage.merged_company
where corroboration.company_id = merged_company.company_id;

-- Empties the shown fields of merged companies: the remaining company alone keeps such values.
update registry.company
set
    merged_into_id = merged_company.into_company_id,
    name = null,
    city = null,
    postal_code = null,
    changed_snapshot_no = registry.next_snapshot_no()
from stage.merged_company
where company.company_id = merged_company.company_id;

update registry.company
set merged_into_id = merged_company.into_company_id
from stage.merged_company
where company.merged_into_id = merged_company.company_id;
