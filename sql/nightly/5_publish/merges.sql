-- Merges the companies that 3_companies/link.sql has linked. From this step on, all tables have the ids of the
-- remaining companies, except stage.before, which has the state of yesterday.
do $$
declare
    list regclass;
begin
    foreach list in array '{
        stage.after, stage.vanished, stage.event, registry.entry, registry.event, registry.corroboration
    }'::regclass[] loop
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

-- Clears the name, city and postal code of merged companies, since only the remaining company may keep them.
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
