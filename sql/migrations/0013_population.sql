-- One row per voivodeship: its inhabitants in a year, for rates; the source says which count it is.
create table registry.population (
    voivodeship text primary key references registry.voivodeship,
    population integer not null,
    year smallint not null,
    source text not null,
    constraint population_positive check (population > 0)
);
