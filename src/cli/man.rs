//! The man page, generated from the same definitions as `--help`.

use std::io;

use clap_mangen::Man;

use super::definitions;

/// Returns the page in roff: the program, followed by a section for each subcommand. Writing to memory cannot fail.
pub fn page() -> io::Result<Vec<u8>> {
    let mut program = definitions().disable_help_subcommand(true);
    program.build();
    let man = Man::new(program.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    for command in program.get_subcommands().filter(|command| !command.is_hide_set()) {
        let heading = format!("batchdoku {}", command.get_name()).to_uppercase();
        let man = Man::new(command.clone());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        if command.get_after_help().is_some() {
            man.render_extra_section(&mut section)?;
        }
        page.extend_from_slice(format!(".SH \"{heading}\"\n").as_bytes());
        // The sections of a subcommand's own page are subsections here.
        let section = String::from_utf8_lossy(&section).replace("\n.SH ", "\n.SS ");
        page.extend_from_slice(section.as_bytes());
    }
    man.render_version_section(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_program_and_the_flags_of_solve_and_no_hidden_one() {
        let page = String::from_utf8(page().unwrap()).unwrap();
        for part in
            [".TH batchdoku 1", "SH NAME", "BATCHDOKU SOLVE", "max\\-guesses", "Exit codes:", "lenient"]
        {
            assert!(page.contains(part), "{part} is missing in\n{page}");
        }
        assert!(!page.contains("chunk\\-size"));
    }
}
