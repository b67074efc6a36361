//! Windows: icon, version and manifest of the executable.

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=packaging/windows");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("windows") {
        return Ok(());
    }
    let mut resource = winresource::WindowsResource::new();
    resource.set_icon("packaging/windows/nextscope.ico");
    resource.set_manifest_file("packaging/windows/nextscope.exe.manifest");
    resource.set("ProductName", "Nextscope");
    resource.set("FileDescription", "Nextscope");
    resource.compile()
}
