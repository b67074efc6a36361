//! RAM in every place of a program for Windows, of 64 and of 32 bits.

use crate::emulators::session::{STARTED, built_in, live, ram_of, sampler_of, wait};
use crate::emulators::{Config, Kind, windows};

#[test]
fn ram_in_every_place_of_a_windows_program_is_found() {
    let hosts = windows::memory_hosts();
    if hosts.is_empty() {
        println!("left out: programs for Windows (tests/windows/run)");
        return;
    }
    let image = {
        let running = Kind::Embedded.start(&Config::default().rom());
        let sampler = sampler_of(&running, built_in());
        let view = wait(&sampler, STARTED, "embedded console", live);
        ram_of(&view).all().to_vec()
    };
    for kind in hosts {
        let running = kind.start(&image);
        let sampler = sampler_of(&running, built_in());
        let view = wait(&sampler, STARTED, kind.name(), live);
        let changed = ram_of(&view).all().iter().zip(&image).filter(|(now, then)| now != then).count();
        assert!(changed <= 1, "{}: {changed} bytes differ", kind.name());
        let target = view.target.as_ref().expect("a target");
        println!("{}: {}, {} ms", kind.name(), target.method, target.elapsed.as_millis());
    }
}
