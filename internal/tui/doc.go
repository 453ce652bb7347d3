// Package tui shows live flows on a terminal: a table like top's, and a page
// for each flow with its charts, its limits and its verdict.
//
// Its rules:
//
//   - The model is pure: snapshots, keys and sizes go in, a screen comes out.
//     Run alone touches the terminal.
//   - Every text of the screen passes clean, which makes it safe and its width
//     known; colours come from styles and nowhere else.
//   - Colour repeats what words and marks say and never says more.
//   - Only rows that are visible are drawn; flows are arranged once a snapshot.
//   - The selection follows the flow and keeps its line of the screen.
package tui
