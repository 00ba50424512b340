-- Compares the newest event of each subject (such as the address) with its entry, which must have the event's new
-- value. A corroboration (a second registry's report of an event) counts as an event.
with reported as (
    select event.*
    from registry.event
    where event.source = $1::text
    union all
    select
        corroboration.company_id, corroboration.event_id, corroboration.entry_id,
        corroboration.event_date, corroboration.source, event.event_type, corroboration.old_value,
        corroboration.new_value
    from registry.corroboration
    join registry.event using (company_id, event_id)
    where corroboration.source = $1
),

stated as (
    -- Also selects later events of another subject, such as a reopening, that may have changed the value again.
    select
        reported.*,
        event_type.category, event_type.subject, detail.value,
        left(detail.value, 14) as unit_number,
        row_number() over (
            partition by
                reported.entry_id,
                event_type.subject,
                case event_type.subject
                    when 'activity' then detail.value
                    -- Groups the events of units by the unit's number; units without a number are not compared.
                    when 'unit' then left(detail.value, 14)
                end
            order by reported.event_date desc, reported.event_id desc
        ) as age,
        max(reported.event_date) filter (where reported.event_type = 'COMPANY_REOPENED')
            over (partition by reported.entry_id) as reopened_date,
        max(reported.event_date) filter (where reported.event_type ~ '_ENDED$')
            over (partition by reported.entry_id, event_type.subject) as ended_date,
        max(reported.event_date) filter (where reported.event_type = 'COMPANY_ACTIVITIES_RECLASSIFIED')
            over (partition by reported.entry_id) as reclassified_date
    from reported
    join registry.event_type using (event_type)
    cross join lateral (select coalesce(reported.new_value, reported.old_value) as value) as detail
),

compared as (
    select
        stated.*,
        -- Accepts values of a subject that the owner withholds, because the withheld values are erased.
        (
            stated.subject = any(entry.unstated)
            or entry.is_partial and registry.is_personal(stated.category, entry.entity_type)
            or stated.category in ('identity', 'location', 'activities')
            and num_nonnulls(stated.old_value, stated.new_value) = 0
        ) is true
        -- Accepts values of a withdrawn entry, because values of withdrawn entries are erased.
        or (
            stated.event_date <= entry.withdrawn_until
            and (
                entry.entity_type = 'NATURAL'
                or registry.is_personal(stated.category, entry.entity_type)
            )
        ) is true
        or case stated.subject
            when 'status' then case stated.event_type
                when 'COMPANY_SUSPENDED' then entry.status = 'SUSPENDED'
                else entry.status = 'ACTIVE'
            end
            or entry.status = 'DELETED'
            or stated.reopened_date >= stated.event_date
            when 'end date' then
                entry.end_date::text = stated.new_value
                -- Accepts the day of the event, which is stored if the end date is unknown.
                or stated.new_value = stated.event_date::text and entry.declared_status = 'DELETED'
                or stated.reopened_date > stated.event_date
            when 'strike-off' then
                entry.gone_date::text = stated.new_value
                or entry.struck_off_date is not null
                or stated.reopened_date > stated.event_date
            when proceeding.subject then case
                -- The start date of a proceeding may have become known after the event.
                when stated.event_type like '%\_STARTED' then
                    proceeding.state is not null
                    and coalesce(
                        proceeding.start_date::text = stated.new_value, stated.new_value is null
                    )
                else coalesce(
                    proceeding.end_date::text = stated.new_value, stated.new_value is null
                )
            end
            -- Accepts an ended proceeding that the entry lacks: registries remove ended proceedings sooner or later.
            or (stated.ended_date >= stated.event_date and proceeding.state is null)
            when 'unit' then
                stated.unit_number !~ '^[0-9]{14}$'
                -- Accepts an event that has only the unit's number: the owner withheld the other data of the unit.
                or stated.new_value = stated.unit_number
                -- A unit that stands for the head office appears and disappears with the address of the entry.
                or not entry.units #> '{0}' ? 'address'
                and not exists (
                    select from jsonb_array_elements(entry.units) as unit
                    where
                        unit.value ->> 'identifier' = stated.unit_number
                        and unit.value ? 'address'
                        and not unit.value ? 'is_partial'
                )
                -- A new spelling of a unit's address causes no event, so only the unit's number and name are compared.
                or entry.changed_date > stated.event_date
                and exists (
                    select from jsonb_array_elements(entry.units) with ordinality as unit (value, place)
                    where
                        unit.value ->> 'identifier' = stated.unit_number
                        and entry.address_ids[unit.place] is not null
                        and starts_with(
                            registry.value_meaning(entry.country_code, 'unit', stated.new_value),
                            registry.value_meaning(
                                entry.country_code, 'unit', registry.unit_line(unit.value - 'address')
                            )
                        )
                )
                or registry.value_meaning(
                    entry.country_code, 'unit', stated.new_value
                ) is not distinct from (
                    select registry.value_meaning(
                        entry.country_code, 'unit', min(registry.unit_line(unit.value) collate "C")
                    )
                    from jsonb_array_elements(entry.units) as unit
                    where
                        unit.value ->> 'identifier' = stated.unit_number
                        and not unit.value ? 'is_closed'
                )
            when 'activity' then
                (stated.new_value is not null)
                = (stated.value = any(string_to_array(entry.activity_codes, ',')))
                or stated.reclassified_date > stated.event_date
                -- A code that a reclassification removes is of the old version; the new version may have an equal code.
                or stated.new_value is null and stated.reclassified_date = stated.event_date
            when 'main activity' then
                entry.activity_main is not distinct from stated.new_value
                or stated.reclassified_date > stated.event_date
            -- A new spelling of a value causes no event, so only the meanings of the two spellings are compared.
            else shown.value is not distinct from stated.new_value
            or registry.value_meaning(entry.country_code, stated.subject, shown.value)
            is not distinct from registry.value_meaning(entry.country_code, stated.subject, stated.new_value)
        end as agrees
    from stated
    left join registry.entry using (company_id, entry_id)
    left join lateral (
        values
        (
            'bankruptcy', entry.bankruptcy_state, entry.bankruptcy_start_date,
            entry.bankruptcy_end_date
        ),
        (
            'restructuring', entry.restructuring_state, entry.restructuring_start_date,
            entry.restructuring_end_date
        )
    ) as proceeding (subject, state, start_date, end_date) using (subject)
    cross join lateral (
        select case stated.subject
            -- If a new company has no name, its event shows the names of the owner.
            when 'name' then case
                when stated.event_type = 'COMPANY_REGISTERED' and entry.name is null then stated.new_value
                else entry.name
            end
            when 'legal form' then registry.legal_form_slug(entry.country_code, entry.legal_form)
            when 'entity type' then entry.entity_type
            -- If a partner or shareholder has a number, the person's name may change without an event.
            when 'owner' then case
                when entry.persons @? '$[*] ? (@.kind == "partner").number' then stated.new_value
                else registry.owner_names(entry.first_name, entry.surname, entry.persons)
            end
            when 'shareholders' then case
                when entry.persons @? '$[*].number' then stated.new_value
                else registry.person_names('shareholder', entry.persons)
            end
            when 'representation' then registry.person_names('representative', entry.persons)
            when 'start date' then entry.start_date::text
            -- The spelling of an address with a registry's id may change without an event, so any value is accepted.
            when 'address' then case
                when entry.address_ids[1] is not null and entry.changed_date > stated.event_date
                    then stated.new_value
                else registry.entry_address(entry)
            end
            when 'phone' then entry.phone
            when 'e-mail' then entry.email
            when 'fax' then entry.fax
            when 'website' then entry.website
            when 'return' then stated.new_value
            when 'activities' then stated.new_value
            else (
                -- Several types of numbers may share one event subject, so the best match is taken.
                select number.identifier_value
                from registry.entry_numbers(entry) as number
                where
                    number.event_subject = stated.subject
                    -- After an event that removed a number, the number that identifies the entry may remain.
                    and (
                        stated.new_value is not null
                        or number.identifier_value = stated.old_value
                        or number.identifier_value <> entry.entry_key
                    )
                order by number.identifier_value <> stated.new_value, number.rank
                limit 1
            )
        end as value
    ) as shown
    where stated.age = 1
)

select format(
    'event %s, %s of %s, says ''%s''; the entry %s does not',
    compared.event_id, compared.event_type, compared.event_date, compared.new_value,
    compared.entry_id
) as finding
from compared
where
    compared.agrees is not true
    -- If the same change happens in several entries of a company, only one event is published.
    and not exists (
        select from stated
        where
            stated.company_id = compared.company_id
            and stated.entry_id <> compared.entry_id
            and stated.event_date > compared.event_date
            and stated.subject = compared.subject
            and (stated.subject not in ('activity', 'unit') or stated.value = compared.value)
    )
order by compared.event_id
limit 100;
