// A finding as the page's data have it (docs/page-data.md, `findings` of the blob "head").
export interface EvidenceRow {
  event: string;
  bad: number | null;
  good: number | null;
  ratio: number | null;
  effect: number | null;
  unit: string; // "ns", "share" or a count's
}

// A row of the run's account.
export interface AccountRow {
  what: string;
  where: string; // "": no place of the program's own
  held_by: string; // what the threads waited for was there; "": not known
  ns: number;
  shorter_ns: number; // the run without it
}

export interface Finding {
  kind: string;
  title: string;
  where: string; // the function, else the module
  file: string; // "": not known
  line: number; // 0: not known
  space: string; // key of the space in the rows by call path; "": none
  when: [number, number][];
  threads: number[];
  seconds: number | null; // likewise
  share: number | null; // null: the cost is not known
  gain: [number, number] | null; // the run is expected to be shorter by, as shares; null: not known
  tested: boolean;
  confidence: number;
  evidence: EvidenceRow[];
  direction: string;
  confirm: string;
  also: string[];
  occurrences: {
    kind: string; // "occurrences", "gaps", "occurrences_around", "all", "none"
    of: string;
    count: number;
    list: [begin: number, length: number, thread: number, number: number][]; // the longest, in time
  };
}
