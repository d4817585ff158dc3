//! Splr, BatSat and Varisat behind the functions of ipasir.h.
//!
//! - BatSat and Varisat keep one solver for all solves. Splr cannot be used again, so every solve makes a new one, with
//!   the assumptions as clauses; all of them fail then.
//! - The user's variables become 1, 2, 3, ... in the order of first use.
//! - BatSat's core is read as it is, not as it is documented (docs/bugs-found.md).
//! - Compiled with assertions. A panic ends the process, as in every Rust library that C calls.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void, CStr};

trait Engine {
    fn add(&mut self, clause: &[i32]);
    /// Returns 10, 20 or 0.
    fn solve(&mut self, variables: usize, assumptions: &[i32]) -> c_int;
    fn value(&self, variable: i32) -> Option<bool>;
    fn failed(&self, literal: i32) -> bool;
}

#[derive(Default)]
struct BatSat {
    solver: batsat::BasicSolver,
}

impl BatSat {
    fn literal(&mut self, l: i32) -> batsat::Lit {
        use batsat::SolverInterface;
        while self.solver.num_vars() < l.unsigned_abs() {
            self.solver.new_var_default();
        }
        batsat::Lit::new(self.solver.var_of_int(l.unsigned_abs() - 1), l > 0)
    }
}

impl Engine for BatSat {
    fn add(&mut self, clause: &[i32]) {
        use batsat::SolverInterface;
        let mut literals: Vec<_> = clause.iter().map(|&l| self.literal(l)).collect();
        self.solver.add_clause_reuse(&mut literals);
    }
    fn solve(&mut self, _: usize, assumptions: &[i32]) -> c_int {
        use batsat::SolverInterface;
        let literals: Vec<_> = assumptions.iter().map(|&l| self.literal(l)).collect();
        let answer = self.solver.solve_limited(&literals);
        if answer == batsat::lbool::TRUE {
            10
        } else if answer == batsat::lbool::FALSE {
            20
        } else {
            0
        }
    }
    fn value(&self, variable: i32) -> Option<bool> {
        use batsat::SolverInterface;
        let value = *self.solver.get_model().get(variable as usize - 1)?;
        if value == batsat::lbool::UNDEF {
            return None;
        }
        Some(value == batsat::lbool::TRUE)
    }
    fn failed(&self, literal: i32) -> bool {
        use batsat::SolverInterface;
        let variable = batsat::Var::unsafe_from_idx(literal.unsigned_abs() - 1);
        // The core has the negations of assumptions, although it is documented as a subset of them.
        self.solver.unsat_core_contains_lit(batsat::Lit::new(variable, literal < 0))
    }
}

#[derive(Default)]
struct Varisat {
    solver: varisat::Solver<'static>,
    values: HashMap<i32, bool>,
    core: Vec<i32>,
}

impl Engine for Varisat {
    fn add(&mut self, clause: &[i32]) {
        use varisat::ExtendFormula;
        let literals: Vec<_> = clause.iter().map(|&l| varisat::Lit::from_dimacs(l as isize)).collect();
        self.solver.add_clause(&literals);
    }
    fn solve(&mut self, _: usize, assumptions: &[i32]) -> c_int {
        let literals: Vec<_> = assumptions.iter().map(|&l| varisat::Lit::from_dimacs(l as isize)).collect();
        self.solver.assume(&literals);
        self.values.clear();
        self.core.clear();
        match self.solver.solve() {
            Ok(true) => {
                for l in self.solver.model().unwrap_or_default() {
                    self.values.insert(l.var().to_dimacs() as i32, l.is_positive());
                }
                10
            }
            Ok(false) => {
                let core = self.solver.failed_core().unwrap_or(&[]);
                self.core = core.iter().map(|l| l.to_dimacs() as i32).collect();
                20
            }
            Err(_) => 0,
        }
    }
    fn value(&self, variable: i32) -> Option<bool> {
        self.values.get(&variable).copied()
    }
    fn failed(&self, literal: i32) -> bool {
        self.core.contains(&literal)
    }
}

#[derive(Default)]
struct Splr {
    clauses: Vec<Vec<i32>>,
    values: HashMap<i32, bool>,
}

impl Engine for Splr {
    fn add(&mut self, clause: &[i32]) {
        self.clauses.push(clause.to_vec());
    }
    fn solve(&mut self, _: usize, assumptions: &[i32]) -> c_int {
        self.values.clear();
        // Splr accepts neither an empty formula nor an empty clause.
        if self.clauses.iter().any(|c| c.is_empty()) {
            return 20;
        }
        let mut clauses = self.clauses.clone();
        clauses.extend(assumptions.iter().map(|&l| vec![l]));
        if clauses.is_empty() {
            return 10;
        }
        match splr::Certificate::try_from(clauses) {
            Ok(splr::Certificate::SAT(model)) => {
                self.values = model.iter().map(|&l| (l.abs(), l > 0)).collect();
                10
            }
            Ok(splr::Certificate::UNSAT) => 20,
            Err(_) => 0,
        }
    }
    fn value(&self, variable: i32) -> Option<bool> {
        self.values.get(&variable).copied()
    }
    fn failed(&self, _: i32) -> bool {
        true
    }
}

#[derive(Default)]
pub struct Handle {
    engine: Option<Box<dyn Engine>>,
    numbers: HashMap<i32, i32>,
    clause: Vec<i32>,
    assumptions: Vec<i32>,
}

impl Handle {
    fn engine(&mut self) -> &mut Box<dyn Engine> {
        self.engine.get_or_insert_with(|| Box::new(Varisat::default()))
    }
    fn find(&self, l: i32) -> Option<i32> {
        self.numbers.get(&l.abs()).map(|n| n * l.signum())
    }
    fn intern(&mut self, l: i32) -> i32 {
        let next = self.numbers.len() as i32 + 1;
        self.numbers.entry(l.abs()).or_insert(next);
        self.find(l).unwrap()
    }
}

#[no_mangle]
pub extern "C" fn ipasir_signature() -> *const c_char {
    c"splr 0.17.2, batsat 0.6.0, varisat 0.2.2".as_ptr()
}

#[no_mangle]
pub extern "C" fn ipasir_init() -> *mut Handle {
    Box::into_raw(Box::default())
}

/// # Safety
/// The pointer must come from ipasir_init, here and below.
#[no_mangle]
pub unsafe extern "C" fn ipasir_release(s: *mut Handle) {
    drop(Box::from_raw(s));
}

/// # Safety
/// See ipasir_release.
#[no_mangle]
pub unsafe extern "C" fn ipasir_add(s: *mut Handle, l: i32) {
    let s = &mut *s;
    if l != 0 {
        let l = s.intern(l);
        s.clause.push(l);
        return;
    }
    let clause = std::mem::take(&mut s.clause);
    s.engine().add(&clause);
}

/// # Safety
/// See ipasir_release.
#[no_mangle]
pub unsafe extern "C" fn ipasir_assume(s: *mut Handle, l: i32) {
    let s = &mut *s;
    let l = s.intern(l);
    s.assumptions.push(l);
}

/// # Safety
/// See ipasir_release.
#[no_mangle]
pub unsafe extern "C" fn ipasir_solve(s: *mut Handle) -> c_int {
    let s = &mut *s;
    let assumptions = std::mem::take(&mut s.assumptions);
    let variables = s.numbers.len();
    s.engine().solve(variables, &assumptions)
}

/// # Safety
/// See ipasir_release.
#[no_mangle]
pub unsafe extern "C" fn ipasir_val(s: *mut Handle, l: i32) -> i32 {
    let s = &mut *s;
    let Some(known) = s.find(l) else { return 0 };
    match s.engine().value(known.abs()) {
        None => 0,
        Some(value) if value == (known > 0) => l,
        Some(_) => -l,
    }
}

/// # Safety
/// See ipasir_release.
#[no_mangle]
pub unsafe extern "C" fn ipasir_failed(s: *mut Handle, l: i32) -> c_int {
    let s = &mut *s;
    let Some(known) = s.find(l) else { return 0 };
    s.engine().failed(known).into()
}

#[no_mangle]
pub extern "C" fn ipafuzz_describe() -> *const c_char {
    c"model ipasir\nlacks terminate\nlacks learn\nlacks havoc\nfixed solver choice varisat|batsat|splr varisat\n".as_ptr()
}

/// # Safety
/// See ipasir_release; the strings end with NUL.
#[no_mangle]
pub unsafe extern "C" fn ipafuzz_set_option(s: *mut c_void, name: *const c_char, value: *const c_char) -> c_int {
    let s = &mut *(s as *mut Handle);
    if CStr::from_ptr(name).to_bytes() != b"solver" {
        return 1;
    }
    s.engine = Some(match CStr::from_ptr(value).to_bytes() {
        b"varisat" => Box::new(Varisat::default()),
        b"batsat" => Box::new(BatSat::default()),
        b"splr" => Box::new(Splr::default()),
        _ => return 1,
    });
    0
}
