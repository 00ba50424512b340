-- Updates registry.company for each company that the night touched: one with an entry that changed or
-- went, or a linked one. new_companies.sql has inserted the new companies of one entry.

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
