//! Sudominoku: sudoku and 36 dominoes.
