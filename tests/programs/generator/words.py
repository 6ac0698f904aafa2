"""Words for names, by domain. No word may hint at a defect."""

DOMAINS = {
    "physics": ("particle field orbit lattice charge plasma photon spin mass torque wave vortex beam probe crystal",
                "evolve scatter project couple damp deflect relax emit resolve collide"),
    "finance": ("trade ledger bond quote option account margin portfolio coupon tariff dividend invoice broker yield deposit",
                "settle price hedge clear accrue audit discount assess rebate book"),
    "text": ("verse paragraph token glyph chapter sentence letter index_card margin_note page draft glossary column heading quote_mark",
             "annotate translate shorten hyphenate quote render inspect index revise spell"),
    "games": ("castle monster dungeon player quest tile spell arrow shield potion village dragon knight riddle treasure",
              "attack defend explore upgrade wander rescue trade_off conquer reveal enchant"),
    "networks": ("packet route peer beacon gateway hop link_state subnet flow segment mirror uplink label window relay",
                 "forward inspect announce classify shape police resolve tag encode confirm"),
    "biology": ("gene protein cell enzyme genome strand membrane tissue spore petal larva neuron codon species colony",
                "align transcribe mutate express divide grow_out screen assay culture compare"),
    "geography": ("river valley ridge contour basin island canyon delta plateau harbour glacier meadow terrace summit dune",
                  "survey trace_out outline map_out sound_out grade sketch measure slope_of drain"),
    "music": ("chord melody rhythm octave tempo bar note voice timbre scale_step refrain overture cadence motif pitch",
              "compose transpose tune arrange accent harmonise phrase modulate voice_out sustain"),
    "kitchen": ("recipe sauce dough spice oven plate menu broth pastry garnish kettle ladle batch_mix marinade crust",
                "knead season simmer glaze blend chop whisk roast serve steep"),
    "astronomy": ("comet star nebula planet galaxy quasar spectrum moon eclipse telescope transit halo pulsar meteor apogee",
                  "observe chart expose calibrate catalogue sight reduce_plate magnify predict correct"),
    "commerce": ("order parcel basket customer shelf voucher depot catalog receipt pallet offer brand refund label_sheet stall",
                 "pack dispatch restock bill weigh sort_out ship pick rate bundle"),
    "weather": ("front cloud storm breeze humidity pressure isobar cyclone drizzle station forecast ridge_line fog gust cell_map",
                "forecast_for advect mix_in radiate condense smooth assimilate grid nudge integrate"),
}
ADJECTIVES = "local final outer inner early late major minor coarse plain near far upper lower next base north south left right mixed whole first".split()
UNITS = "part set group view state entry record sample frame sheet row block unit list".split()


def domain(rng):
    name = rng.choice(sorted(DOMAINS))
    nouns, verbs = DOMAINS[name]
    return name, nouns.split(), verbs.split()
