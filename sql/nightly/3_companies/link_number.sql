-- Links entries and companies of the country that share another number of a type that links: equal numbers
-- are one company. Runs between link.sql and link_nip.sql.
do $$
declare
    own constant stage.night := (select night from stage.night);
    -- The keys of one source differ: they matter beside another source.
    linking constant text[] := array(
        select type.identifier_type
        from registry.identifier_type as type
        where
            type.country_code = own.country_code
            and type.links
            and (
                type.stored_in = 'numbers'
                or type.stored_in = 'key'
                and exists (
                    select from registry.source_rank
                    join registry.run using (source)
                    where
                        source_rank.country_code = own.country_code
                        and source_rank.source <> own.source
                        and run.state in ('published', 'imported')
                )
            )
    );
begin
    if linking = '{}' then
        return;
    end if;

    -- One row per record and such number of it.
    create unlogged table stage.numbered as
    select node.node, number.identifier_type, number.identifier_value
    from stage.node
    cross join lateral registry.list_numbers(
        own.country_code, null, null, null, node.numbers, node.entry_key, null
    ) as number
    where number.identifier_type = any(linking);

    analyze stage.numbered;

    insert into stage.link (node, neighbour, subject, number, is_contradicted)
    select
        numbered.node, shared.first_node, numbered.identifier_type || ' of another company',
        numbered.identifier_value, false
    from stage.numbered
    join (
        select identifier_type, identifier_value, min(node) as first_node
        from stage.numbered
        group by identifier_type, identifier_value
    ) as shared using (identifier_type, identifier_value)
    where numbered.node <> shared.first_node
    union all
    select
        numbered.node, entry.company_id, numbered.identifier_type || ' of another company',
        numbered.identifier_value, false
    from stage.numbered
    join registry.identifier_type as type using (identifier_type)
    join registry.entry
        on type.stored_in = 'key'
        and entry.entry_key = numbered.identifier_value
        and entry.country_code = own.country_code
    where numbered.node <> entry.company_id
    union all
    select
        numbered.node, entry.company_id, numbered.identifier_type || ' of another company',
        numbered.identifier_value, false
    from stage.numbered
    join registry.identifier_type as type using (identifier_type)
    join registry.entry
        on type.stored_in = 'numbers'
        and entry.numbers @> jsonb_build_object(numbered.identifier_type, numbered.identifier_value)
        and entry.numbers is not null
        and entry.country_code = own.country_code
    where numbered.node <> entry.company_id;

    perform stage.label_components();
end;
$$;
