-- What each view of `analyst` and each of its columns means, in one place: the data dictionary of
-- sql/README.md is made from these comments.

comment on view analyst.run is
    'One row per attempt to publish a dump of a registry, also a refused or failed one.';
comment on column analyst.run.run_id is 'Number of the attempt.';
comment on column analyst.run.source is 'Registry: ceidg, regon or krs.';
comment on column analyst.run.dump_date is
    'Day that the dump speaks of; of an imported run, the day on which it ran.';
comment on column analyst.run.state is
    'running, published, imported (companies asked for on demand), refused, failed or abandoned.';
comment on column analyst.run.new_count is
    'Entries that came into the registry; 0 in the first snapshot of a source.';
comment on column analyst.run.updated_count is 'Entries that changed.';
comment on column analyst.run.deleted_count is 'Entries that are gone.';
comment on column analyst.run.event_count is 'Events that the run published.';
comment on column analyst.run.rejected_count is 'Rows of the dump that could not be read.';
comment on column analyst.run.reason is 'Why a dump that the guards refused was accepted.';
comment on column analyst.run.started_at is 'When the run began.';
comment on column analyst.run.finished_at is 'When the run ended; null while it runs.';
comment on column analyst.run.message is 'Why the run was refused or failed.';
comment on column analyst.run.is_baseline is 'Whether this is the first snapshot of its source.';
comment on column analyst.run.entry_count is 'Entries in the registry after the run.';

comment on view analyst.company is
    'One row per company: the entries of all registries that share a valid NIP, REGON or KRS '
    'number. Of registries that differ, each column follows the one that ranks first for it.';
comment on column analyst.company.company_id is 'Number of the company; that of its first entry.';
comment on column analyst.company.country_code is 'Country of the registry, ISO 3166-1.';
comment on column analyst.company.nip is 'Tax number, ten digits.';
comment on column analyst.company.regon9 is 'Statistical number, nine digits.';
comment on column analyst.company.krs is 'Number in the court register, ten digits.';
comment on column analyst.company.name is 'Name; of a person without one, first name and surname.';
comment on column analyst.company.status is
    'ACTIVE if any entry is, else SUSPENDED if any is, else DELETED.';
comment on column analyst.company.legal_form is 'Slug of the legal form; see analyst.legal_form.';
comment on column analyst.company.voivodeship is
    'Voivodeship of the address; see analyst.voivodeship.';
comment on column analyst.company.city is 'City of the address.';
comment on column analyst.company.postal_code is 'Postal code of the address.';
comment on column analyst.company.activity_main is
    'Code of the main activity without dots, of either version of the PKD.';
comment on column analyst.company.activity_start is
    'Day on which the activity began, as the registry says.';
comment on column analyst.company.first_seen_date is
    'Day of the first snapshot that had the company; for companies of the first snapshot of a '
    'source, the day of that snapshot.';
comment on column analyst.company.end_date is
    'Latest end of the activity among the entries that have the status of the company.';
comment on column analyst.company.suspension_date is
    'Latest suspension among the entries that have the status of the company.';
comment on column analyst.company.struck_off_date is
    'Latest strike-off, or day on which the entry was gone, among the entries that have the '
    'status of the company.';
comment on column analyst.company.entry_count is
    'Entries of the company, in all registries, also those that are gone.';

comment on view analyst.entry is
    'One row per entry of one registry: what the registry says of one activity of one company. '
    'Entries that are gone keep their row.';
comment on column analyst.entry.entry_id is 'Number of the entry.';
comment on column analyst.entry.company_id is 'Company that the entry belongs to.';
comment on column analyst.entry.source is 'Registry: ceidg, regon or krs.';
comment on column analyst.entry.country_code is 'Country of the registry, ISO 3166-1.';
comment on column analyst.entry.nip is 'Tax number, ten digits.';
comment on column analyst.entry.regon9 is 'Statistical number, nine digits.';
comment on column analyst.entry.krs is 'Number in the court register, ten digits.';
comment on column analyst.entry.name is 'Name; of a person without one, first name and surname.';
comment on column analyst.entry.entity_type is 'Kind of entity, as the registry says.';
comment on column analyst.entry.status is
    'DELETED once an end or a strike-off is reached or the entry is gone, else SUSPENDED or '
    'ACTIVE as the registry declares.';
comment on column analyst.entry.legal_form is 'Slug of the legal form; see analyst.legal_form.';
comment on column analyst.entry.voivodeship is
    'Voivodeship of the address; see analyst.voivodeship.';
comment on column analyst.entry.county is 'County (powiat) of the address.';
comment on column analyst.entry.commune is 'Commune (gmina) of the address.';
comment on column analyst.entry.city is 'City of the address.';
comment on column analyst.entry.postal_code is 'Postal code of the address.';
comment on column analyst.entry.activity_main is 'Code of the main activity without dots.';
comment on column analyst.entry.activity_version is
    'Version of the PKD that the codes belong to: 2007 or 2025.';
comment on column analyst.entry.activity_section is
    'Section of the PKD 2025 of the main activity, for codes of both versions.';
comment on column analyst.entry.activity_codes is
    'Codes of all activities without dots, in the order of the registry.';
comment on column analyst.entry.start_date is 'Day on which the activity began.';
comment on column analyst.entry.suspension_date is 'Day of the newest suspension.';
comment on column analyst.entry.resumption_date is 'Day of the newest resumption.';
comment on column analyst.entry.end_date is 'Day on which the activity ends; it may lie ahead.';
comment on column analyst.entry.struck_off_date is 'Day of the strike-off; it may lie ahead.';
comment on column analyst.entry.gone_date is
    'Day of the first snapshot without the entry, or of its strike-off; null while it is in the '
    'registry.';
comment on column analyst.entry.bankruptcy_start_date is 'Day on which a bankruptcy was declared.';
comment on column analyst.entry.bankruptcy_end_date is 'Day on which the bankruptcy ended.';
comment on column analyst.entry.changed_date is 'Day of the last snapshot that changed the entry.';
comment on column analyst.entry.first_seen_date is 'Day of the first snapshot that had the entry.';

comment on view analyst.event is
    'One row per change of a company that a snapshot showed. Event ids ascend in the order of '
    'publication, without gaps.';
comment on column analyst.event.event_id is 'Number of the event.';
comment on column analyst.event.event_date is 'Day of the snapshot that showed the change.';
comment on column analyst.event.source is 'Registry that reported the change first.';
comment on column analyst.event.company_id is 'Company that changed.';
comment on column analyst.event.nip is 'Tax number that the entry has now.';
comment on column analyst.event.regon9 is 'Statistical number that the entry has now.';
comment on column analyst.event.krs is 'Number in the court register that the entry has now.';
comment on column analyst.event.event_type is 'Kind of change; see analyst.event_type.';
comment on column analyst.event.severity is
    'info, notice, warning, high or critical; fixed by the event type.';
comment on column analyst.event.event_class is 'Class of the event type, such as risk or growth.';
comment on column analyst.event.category is
    'What the event type is about, such as status or location.';
comment on column analyst.event.old_value is 'Value before the change; null where there was none.';
comment on column analyst.event.new_value is 'Value after the change; null where there is none.';

comment on view analyst.event_daily is
    'One row per day, registry and event type that occurred: how often.';
comment on column analyst.event_daily.date is 'Day of the snapshot.';
comment on column analyst.event_daily.source is 'Registry that reported the changes.';
comment on column analyst.event_daily.event_type is 'Kind of change; see analyst.event_type.';
comment on column analyst.event_daily.severity is 'Severity of the event type.';
comment on column analyst.event_daily.event_class is 'Class of the event type.';
comment on column analyst.event_daily.category is 'Category of the event type.';
comment on column analyst.event_daily.event_count is 'Events of that type on that day.';

comment on view analyst.corroboration is
    'One row per event and other registry that reported the same change within 30 days.';
comment on column analyst.corroboration.event_id is 'Event that was reported again.';
comment on column analyst.corroboration.event_date is 'Day of the snapshot that reported it again.';
comment on column analyst.corroboration.source is 'Registry that reported it again.';
comment on column analyst.corroboration.company_id is 'Company that changed.';
comment on column analyst.corroboration.event_type is 'Kind of change; see analyst.event_type.';
comment on column analyst.corroboration.old_value is
    'Value before the change, as this registry has it.';
comment on column analyst.corroboration.new_value is
    'Value after the change, as this registry has it.';
comment on column analyst.corroboration.event_source is 'Registry that reported the event first.';
comment on column analyst.corroboration.told_date is 'Day of the event.';

comment on view analyst.reject is
    'One row per row of a dump that could not be read, or contradicts another one.';
comment on column analyst.reject.run_id is 'Run that read it.';
comment on column analyst.reject.source is 'Registry of the dump.';
comment on column analyst.reject.file is 'File of the dump.';
comment on column analyst.reject.line is
    'Line of the file on which the row begins; the header is line 1.';
comment on column analyst.reject.reason is 'Why it was rejected.';
comment on column analyst.reject.raw is 'The row as it stands in the file.';

comment on view analyst.daily_stat is
    'One row per registry and snapshot: how many entries were new, changed or gone.';
comment on column analyst.daily_stat.source is 'Registry: ceidg, regon or krs.';
comment on column analyst.daily_stat.date is 'Day of the snapshot.';
comment on column analyst.daily_stat.new is
    'Entries that came into the registry, also those that came back; 0 in the baseline.';
comment on column analyst.daily_stat.updated is 'Entries that changed.';
comment on column analyst.daily_stat.deleted is 'Entries that are gone.';
comment on column analyst.daily_stat.total is 'Sum of new, updated and deleted.';
comment on column analyst.daily_stat.entry_count is
    'Entries in the registry, whatever their status.';
comment on column analyst.daily_stat.is_baseline is
    'Whether this is the first snapshot of the registry, which has nothing to compare with.';

comment on view analyst.stock_daily is
    'One row per snapshot and group of entries in the registry that is not empty: how many. The '
    'sum over all groups of a snapshot is entry_count of analyst.daily_stat. Ask for one source '
    'and few days: all days of all groups are many rows.';
comment on column analyst.stock_daily.date is
    'Day of the snapshot; days without a snapshot have no rows.';
comment on column analyst.stock_daily.source is 'Registry: ceidg, regon or krs.';
comment on column analyst.stock_daily.voivodeship is
    'Voivodeship of the address; null where there is none.';
comment on column analyst.stock_daily.activity_section is
    'Section of the PKD 2025 of the main activity; null where there is none.';
comment on column analyst.stock_daily.legal_form is
    'Slug of the legal form; null where there is none.';
comment on column analyst.stock_daily.status is
    'Status of the entries; DELETED ones have ended and are still in the registry.';
comment on column analyst.stock_daily.entry_count is 'Entries of the group in the registry.';

comment on view analyst.flow_daily is
    'One row per snapshot and group in which entries came, ended, were suspended or resumed. An '
    'entry stands while it is ACTIVE or SUSPENDED: standing entries change by new minus ended, '
    'but for entries that move to another group. A baseline has no flow.';
comment on column analyst.flow_daily.date is
    'Day of the snapshot; days without a snapshot have no rows.';
comment on column analyst.flow_daily.source is 'Registry: ceidg, regon or krs.';
comment on column analyst.flow_daily.voivodeship is
    'Voivodeship of the address; null where there is none.';
comment on column analyst.flow_daily.activity_section is
    'Section of the PKD 2025 of the main activity; null where there is none.';
comment on column analyst.flow_daily.legal_form is
    'Slug of the legal form; null where there is none.';
comment on column analyst.flow_daily.new is
    'Entries that came to stand, in the group that they have now; also those that came back.';
comment on column analyst.flow_daily.ended is
    'Entries that no longer stand, in the group that they had.';
comment on column analyst.flow_daily.suspended is
    'Entries that went from ACTIVE to SUSPENDED, in the group that they have now.';
comment on column analyst.flow_daily.resumed is
    'Entries that went from SUSPENDED to ACTIVE, in the group that they have now.';

comment on view analyst.activity is 'One row per activity code and version of the PKD.';
comment on column analyst.activity.activity_version is
    'Version of the PKD: 2007 or 2025. The same code may mean different things in the two.';
comment on column analyst.activity.activity is 'Code without dots, such as 4711Z.';
comment on column analyst.activity.name is 'Name of the activity, in Polish.';
comment on column analyst.activity.activity_section is
    'Section of the PKD 2025 that the division of the code belongs to.';

comment on view analyst.activity_section is 'One row per section of the PKD 2025.';
comment on column analyst.activity_section.activity_section is 'Letter of the section, A to V.';
comment on column analyst.activity_section.name is 'Name of the section, in Polish.';
comment on column analyst.activity_section.first_division is
    'First division of the section, two digits.';
comment on column analyst.activity_section.last_division is
    'Last division of the section, two digits.';

comment on view analyst.legal_form is 'One row per legal form.';
comment on column analyst.legal_form.legal_form is 'Slug of the form.';
comment on column analyst.legal_form.label is 'Name of the form to show, in Polish.';
comment on column analyst.legal_form.symbol is 'Newest symbol that GUS gives the form.';

comment on view analyst.event_type is 'One row per event type.';
comment on column analyst.event_type.event_type is 'Name of the type.';
comment on column analyst.event_type.severity is 'info, notice, warning, high or critical.';
comment on column analyst.event_type.severity_rank is 'Rank of the severity, from 1 for info.';
comment on column analyst.event_type.event_class is 'Class of the type, such as risk or growth.';
comment on column analyst.event_type.category is
    'What the type is about, such as status or location.';
comment on column analyst.event_type.description is 'What happened, in a sentence.';

comment on view analyst.voivodeship is 'One row per voivodeship.';
comment on column analyst.voivodeship.voivodeship is 'Name, in Polish and in lower case.';
comment on column analyst.voivodeship.teryt is 'TERYT symbol, two digits.';
comment on column analyst.voivodeship.slug is 'Name without diacritics.';

comment on view analyst.wallet_transaction is
    'For the owner of the database alone; use billing.wallet_transaction. One row per movement of '
    'credits.';
comment on column analyst.wallet_transaction.user_ref is 'Account.';
comment on column analyst.wallet_transaction.type is 'deposit, start or withdraw.';
comment on column analyst.wallet_transaction.amount is 'Credits, always positive.';
comment on column analyst.wallet_transaction.balance_after is 'Balance after the movement.';
comment on column analyst.wallet_transaction.description is 'What the movement was for.';
comment on column analyst.wallet_transaction.created_at is 'When it was booked.';
