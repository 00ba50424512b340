-- Updates registry.company for each company that the night touched: by an entry that changed or vanished, or by a
-- link. new_companies.sql has inserted the new companies with one entry.

select registry.refresh_companies(
    array(
        select after.company_id from stage.after
        union
        select vanished.company_id from stage.vanished where not vanished.waits
        union
        select due.company_id from stage.due
        union
        select component.label from stage.component
    )
);
