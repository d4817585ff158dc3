// Package store writes and reads campaign directories. It works on records, without
// a campaign. A directory contains:
//
//	campaign.json                  the configuration, and the result once the campaign has ended
//	state.json                     what resuming takes, written every second
//	stats.jsonl                    the counts so far, a line now and then
//	.lock                          locked by the campaign that writes here; its process number
//	archive/findings.traces.zst    the traces of all findings
//	archive/run-0001.traces.zst    every trace of the campaign, on request
//	damaged/                       findings that could not be read when they were found again
//	disputes/                      traces whose answers differ while nothing proves which are right
//	internal-error/                the trace of a failure of ipafuzz itself
//	unconfirmed/                   traces of failures that were not confirmed
//	violation.trace                the trace in which a runner broke the protocol
//	findings/<slug>/finding.json   the finding
//	findings/<slug>/original.trace the trace as it was generated
//	findings/<slug>/minimal.trace  the minimal trace
//	findings/<slug>/minimal.log    the minimal trace with the observed answers
//	findings/<slug>/original-2.trace, minimal-2.trace   another trace of the same key, and so on
//	findings/<slug>/normal.trace   the minimal trace in its normal form, if that differs
//	findings/<slug>/experiments/   versions of the normal form, which establish the cause; all-questions.trace
//	                               asks every question
//	findings/<slug>/originals/     up to five other generated traces that showed it
//	findings/<slug>/hits.jsonl     the seeds of the first thousand traces that showed it
//	findings/<slug>/repro.c        a C program that shows the fault
//	findings/<slug>/minimal.wcnf, original.wcnf   the files that a program got, in its format
//	findings/<slug>/stderr.txt     what a target wrote before it died
//	findings/<slug>/certificate.cnf, certificate.lrat   an unsatisfiable formula that proves
//	                               the expected answer, and its proof
//	findings/<slug>/proof.cnf, proof.drat   a formula, and the target's wrong proof of it;
//	                               or proof.opb and proof.veripb; or proof.trace, proof.icnf and proof.idrup
//
// The slug is that of the finding's key; further findings of a key add "_" and their variety. A finding is
// complete or absent, even if the process is killed.
package store
