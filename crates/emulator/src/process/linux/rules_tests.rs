//! Tests every rule with made-up facts. This is the only test of Yama, SELinux and Flatpak, which test machines may lack.

use super::super::facts::{AccessFacts, Named, ReaderFacts, Sandbox, TargetFacts};
use super::*;

const ALL_CAPABILITIES: u64 = 0x1FF_FFFF_FFFF;

fn named(id: u32, name: &str) -> Named {
    Named { id, name: Some(name.into()) }
}

/// Ann reads her own emulator, on a system without Yama: nothing forbids it.
fn ann() -> AccessFacts {
    AccessFacts {
        ours: ReaderFacts {
            user: named(1000, "ann"),
            group: named(1000, "ann"),
            fs_ids: (1000, 1000),
            effective: 0,
            permitted: 0,
            user_namespace: Some(1),
            reads_itself: true,
            sandbox: None,
            exe: "/opt/next scope/nextscope".into(),
        },
        theirs: Some(TargetFacts {
            name: "blastem".into(),
            user: named(1000, "ann"),
            group: named(1000, "ann"),
            uids: [1000; 3],
            gids: [1000; 3],
            permitted: 0,
            user_namespace: Some(1),
            mapped_otherwise: false,
            dumpable: true,
            descendant: false,
        }),
        ptrace_scope: None,
        namespaces: false,
        hidepid: None,
    }
}

fn with(change: impl FnOnce(&mut AccessFacts)) -> AccessFacts {
    let mut facts = ann();
    change(&mut facts);
    facts
}

fn with_theirs(change: impl FnOnce(&mut TargetFacts)) -> AccessFacts {
    with(|facts| change(facts.theirs.as_mut().expect("Ann's emulator runs")))
}

fn scope(value: u32) -> AccessFacts {
    with(|facts| facts.ptrace_scope = Some(value))
}

fn privileged(mut facts: AccessFacts) -> AccessFacts {
    facts.ours.effective = CAP_SYS_PTRACE;
    facts.ours.permitted = CAP_SYS_PTRACE;
    facts
}

fn in_docker(mut facts: AccessFacts) -> AccessFacts {
    facts.ours.sandbox = Some(Sandbox::Docker);
    facts
}

/// Root of a container: user 0 without the capability.
fn container_root(mut facts: AccessFacts) -> AccessFacts {
    facts.ours.user = named(0, "root");
    facts.ours.group = named(0, "root");
    facts.ours.fs_ids = (0, 0);
    facts.ours.permitted = 0xA804_25FB; // Docker's default set
    facts.ours.effective = facts.ours.permitted;
    in_docker(facts)
}

fn memory(facts: &AccessFacts) -> Refusal {
    judge(Pid(42), Access::Memory, facts)
}

fn regions(facts: &AccessFacts) -> Refusal {
    judge(Pid(42), Access::Regions, facts)
}

fn commands(refusal: &Refusal) -> Vec<&str> {
    refusal.remedies.iter().filter_map(|remedy| remedy.command.as_deref()).collect()
}

const SETCAP: &str = "sudo setcap cap_sys_ptrace=ep '/opt/next scope/nextscope'";

#[test]
fn if_nothing_forbids_it_the_rule_is_unknown() {
    assert_eq!(memory(&ann()).rule, Rule::Unknown);
    assert_eq!(memory(&scope(0)).rule, Rule::Unknown);
    assert_eq!(memory(&with(|facts| facts.theirs = None)).rule, Rule::Unknown);
    assert!(commands(&memory(&ann())).contains(&"sudo dmesg | grep -i denied"));
}

#[test]
fn ptrace_scope_1_forbids_all_but_descendants_and_the_first_remedy_is_to_launch_it() {
    let refusal = memory(&scope(1));
    assert_eq!(refusal.rule, Rule::PtraceScope { value: 1 });
    assert!(refusal.remedies[0].text.contains("Let Nextscope start the emulator"));
    assert_eq!(
        commands(&refusal),
        [
            "nextscope start -- EMULATOR GAME",
            "sudo sysctl kernel.yama.ptrace_scope=0",
            "echo 'kernel.yama.ptrace_scope = 0' | sudo tee /etc/sysctl.d/99-ptrace-scope.conf && sudo sysctl --system",
            SETCAP,
        ]
    );
    assert_eq!(
        refusal.to_string().lines().next(),
        Some(
            "process 42 cannot be read: kernel.yama.ptrace_scope is 1, \
             so a program may read only processes that it started"
        )
    );
    let mut child = scope(1);
    child.theirs.as_mut().expect("it runs").descendant = true;
    assert_eq!(memory(&child).rule, Rule::Unknown);
    assert_eq!(memory(&privileged(scope(1))).rule, Rule::Unknown);
}

#[test]
fn ptrace_scope_2_requires_the_capability_and_launching_does_not_help() {
    let refusal = memory(&scope(2));
    assert_eq!(refusal.rule, Rule::PtraceScope { value: 2 });
    assert!(refusal.evidence.contains("is 2, so only a program with CAP_SYS_PTRACE"));
    assert!(!refusal.to_string().contains("Let Nextscope start"));
    assert!(commands(&refusal).contains(&SETCAP));
    assert_eq!(memory(&privileged(scope(2))).rule, Rule::Unknown);
}

#[test]
fn a_user_namespace_is_a_remedy_for_ptrace_scope_1_and_2_if_the_kernel_allows_it() {
    let namespaces = |mut facts: AccessFacts| {
        facts.namespaces = true;
        facts
    };
    let command = "nextscope start --in-namespace -- EMULATOR GAME";
    assert_eq!(commands(&memory(&namespaces(scope(1))))[1], command);
    assert_eq!(commands(&memory(&namespaces(scope(2))))[0], command);
    for facts in [namespaces(scope(3)), scope(1), scope(2)] {
        assert!(!commands(&memory(&facts)).contains(&command));
    }
}

#[test]
fn a_namespace_that_may_not_be_seen_is_known_by_its_map_of_users() {
    let facts = with_theirs(|theirs| {
        (theirs.user_namespace, theirs.mapped_otherwise) = (None, true);
        theirs.permitted = ALL_CAPABILITIES;
    });
    let refusal = memory(&facts);
    assert_eq!(refusal.rule, Rule::Container);
    assert!(refusal.evidence.contains("another user namespace"), "{refusal}");
}

#[test]
fn what_proc_hides_is_refused_as_hidden_with_the_option() {
    let facts = with(|facts| (facts.theirs, facts.hidepid) = (None, Some("ptraceable".into())));
    let refusal = memory(&facts);
    assert_eq!(refusal.rule, Rule::Hidden { value: "ptraceable".into() });
    assert!(refusal.evidence.contains("hidepid=ptraceable"), "{refusal}");
    assert!(commands(&refusal).contains(&SETCAP));
}

#[test]
fn ptrace_scope_3_forbids_it_to_everybody_and_neither_sysctl_nor_setcap_is_offered() {
    for facts in [scope(3), privileged(scope(3)), in_docker(privileged(scope(3)))] {
        let refusal = memory(&facts);
        assert_eq!(refusal.rule, Rule::PtraceScope { value: 3 });
        let text = refusal.to_string();
        assert!(text.contains("restart the machine"), "{text}");
        assert!(!text.contains("setcap") && !text.contains("sudo sysctl"), "{text}");
    }
}

#[test]
fn ptrace_scope_has_no_say_in_the_list_of_regions() {
    for value in 0..=3 {
        assert_eq!(regions(&scope(value)).rule, Rule::Unknown, "{value}");
    }
}

#[test]
fn another_user_is_named_with_both_names_and_goes_before_ptrace_scope() {
    let mut facts = scope(1);
    let theirs = facts.theirs.as_mut().expect("it runs");
    theirs.user = named(0, "root");
    theirs.uids = [0; 3];
    for refusal in [memory(&facts), regions(&facts)] {
        let rule = Rule::OtherUser { ours: "ann (1000)".into(), theirs: "root (0)".into() };
        assert_eq!(refusal.rule, rule);
        assert_eq!(refusal.evidence, "it runs as root (0) and Nextscope as ann (1000)");
        assert_eq!(commands(&refusal), ["sudo -u root '/opt/next scope/nextscope'", SETCAP]);
    }
    assert_eq!(memory(&privileged(facts)).rule, Rule::Unknown, "the capability passes both");
}

#[test]
fn a_user_without_a_name_is_named_by_number() {
    let facts = with_theirs(|theirs| {
        theirs.user = Named { id: 4711, name: None };
        theirs.uids = [4711; 3];
    });
    let refusal = memory(&facts);
    assert_eq!(refusal.evidence, "it runs as 4711 and Nextscope as ann (1000)");
    assert_eq!(commands(&refusal)[0], "sudo -u '#4711' '/opt/next scope/nextscope'");
}

#[test]
fn another_group_of_the_same_user_is_a_difference_too() {
    let facts = with_theirs(|theirs| {
        theirs.group = named(60, "games");
        theirs.gids = [60; 3];
    });
    let refusal = memory(&facts);
    assert_eq!(
        refusal.evidence,
        "it runs as ann (1000), group games (60) and Nextscope as ann (1000), group ann (1000)"
    );
    assert!(matches!(refusal.rule, Rule::OtherUser { .. }));
    assert_eq!(commands(&refusal)[0], r"sg games -c ''\''/opt/next scope/nextscope'\'''");
}

#[test]
fn programs_with_more_rights_are_protected() {
    let user = with_theirs(|theirs| theirs.uids = [1000, 0, 0]);
    let saved = with_theirs(|theirs| theirs.uids = [1000, 1000, 0]);
    let group = with_theirs(|theirs| theirs.gids = [1000, 60, 60]);
    let capable = with_theirs(|theirs| theirs.permitted = 1 << 23);
    let silent = with_theirs(|theirs| theirs.dumpable = false);
    let expected = [
        (user, "it runs with the rights of user 0 (set-user-id program)", "sudo chmod ug-s"),
        (saved, "it runs with the rights of user 0 (set-user-id program)", "sudo chmod ug-s"),
        (group, "it runs with the rights of group 60 (set-group-id program)", "sudo chmod ug-s"),
        (capable, "it has capabilities that Nextscope lacks (mask 0x800000)", "sudo setcap -r"),
        (silent, "it is not dumpable", SETCAP),
    ];
    for (facts, evidence, command) in expected {
        for refusal in [memory(&facts), regions(&facts)] {
            assert_eq!(refusal.rule, Rule::Protected, "{evidence}");
            assert!(refusal.evidence.starts_with(evidence), "{}", refusal.evidence);
            assert!(commands(&refusal)[0].starts_with(command), "{refusal}");
        }
        assert_eq!(memory(&privileged(facts)).rule, Rule::Unknown, "{evidence}: the capability passes it");
    }
}

#[test]
fn capabilities_that_we_may_take_count_for_memory_and_those_in_force_for_regions() {
    let mut facts = with_theirs(|theirs| theirs.permitted = 1 << 23);
    facts.ours.permitted = 1 << 23;
    assert_eq!(memory(&facts).rule, Rule::Unknown);
    assert_eq!(regions(&facts).rule, Rule::Protected);
}

#[test]
fn the_file_system_ids_count_for_regions_and_the_real_ones_for_memory() {
    let facts = with(|facts| facts.ours.fs_ids = (1001, 1001));
    assert_eq!(memory(&facts).rule, Rule::Unknown);
    assert!(matches!(regions(&facts).rule, Rule::OtherUser { .. }));
}

#[test]
fn root_of_a_container_without_the_capability_gets_the_options() {
    let foreign = container_root(ann());
    let mut host_root = container_root(with_theirs(|theirs| {
        theirs.uids = [0; 3];
        theirs.gids = [0; 3];
        theirs.permitted = ALL_CAPABILITIES;
    }));
    let theirs = host_root.theirs.as_mut().expect("it runs");
    (theirs.user, theirs.group) = (named(0, "root"), named(0, "root"));
    for (facts, why) in [(foreign, "has no CAP_SYS_PTRACE"), (host_root, "has fewer capabilities than it")] {
        let refusal = memory(&facts);
        assert_eq!(refusal.rule, Rule::Container);
        assert_eq!(refusal.evidence, format!("Nextscope runs in a Docker container and {why}"));
        assert!(commands(&refusal)[0].contains("--cap-add=SYS_PTRACE"), "{refusal}");
        assert!(!refusal.to_string().contains("setcap"), "the container withholds the capability: {refusal}");
    }
}

#[test]
fn a_call_that_a_filter_forbids_is_the_sandbox_whatever_else_is_true() {
    let facts = with(|facts| {
        facts.ours.reads_itself = false;
        facts.ptrace_scope = Some(1);
    });
    let refusal = memory(&facts);
    assert_eq!(refusal.rule, Rule::Container);
    assert!(refusal.evidence.contains("seccomp"), "{refusal}");
    assert!(!refusal.remedies.is_empty());
    assert_eq!(regions(&facts).rule, Rule::Unknown, "the list of regions needs no such call");
}

#[test]
fn another_user_namespace_is_a_container_even_for_one_with_capabilities_in_its_own() {
    let facts = privileged(with_theirs(|theirs| theirs.user_namespace = Some(2)));
    assert_eq!(memory(&facts).rule, Rule::Container);
    assert!(memory(&facts).evidence.contains("another user namespace"));
    let unseen = with_theirs(|theirs| theirs.user_namespace = None);
    assert_eq!(memory(&unseen).rule, Rule::Unknown, "an invisible namespace is no evidence");
}

#[test]
fn each_sandbox_has_its_own_way_out() {
    let expected = [
        (Sandbox::Docker, "a Docker container", "--security-opt=apparmor=unconfined"),
        (Sandbox::Podman, "a Podman container", "--pid=host --cap-add=SYS_PTRACE"),
        (Sandbox::Flatpak, "a Flatpak sandbox", "Install Nextscope outside Flatpak"),
        (Sandbox::Snap, "a snap's sandbox", "not a snap"),
        (Sandbox::Other("lxc".into()), "a container (lxc)", "run Nextscope outside it"),
    ];
    for (sandbox, name, way) in expected {
        let refusal = memory(&with(|facts| facts.ours.sandbox = Some(sandbox)));
        assert_eq!(refusal.rule, Rule::Container);
        assert!(refusal.evidence.contains(name), "{refusal}");
        assert!(refusal.to_string().contains(way), "{refusal}");
    }
}

#[test]
fn in_a_container_ptrace_scope_is_set_on_the_host() {
    let refusal = memory(&in_docker(scope(1)));
    assert_eq!(refusal.rule, Rule::PtraceScope { value: 1 });
    assert!(refusal.to_string().contains("until the next restart, on the host: sudo sysctl"), "{refusal}");
}

#[test]
fn retroarch_is_offered_its_network_commands() {
    for refused in [
        scope(1),
        scope(2),
        scope(3),
        with_theirs(|theirs| theirs.dumpable = false),
        with(|facts| facts.ours.sandbox = Some(Sandbox::Flatpak)),
    ] {
        let mut facts = refused;
        let offered =
            |facts: &AccessFacts| commands(&memory(facts)).iter().any(|c| c.contains("network_cmd_enable"));
        assert!(!offered(&facts), "BlastEm has none");
        facts.theirs.as_mut().expect("it runs").name = "RetroArch-Linux-".into();
        assert!(offered(&facts));
    }
}
