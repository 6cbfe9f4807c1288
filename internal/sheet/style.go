package sheet

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines differ by colour, by dashes and by marks, so that they can be distinguished
// in print and by whoever sees fewer colours. The colours are those of Okabe and
// Ito ("Color universal design", 2008) without the yellow, which is hardly
// visible on white. From the ninth line on colours come again with other dashes:
// 64 lines are different.
const styles = 8

func lineColor(i int) color.Color {
	return [styles]color.RGBA{
		{0x00, 0x72, 0xb2, 0xff}, // blue
		{0xd5, 0x5e, 0x00, 0xff}, // vermilion
		{0x00, 0x9e, 0x73, 0xff}, // bluish green
		{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
		{0xe6, 0x9f, 0x00, 0xff}, // orange
		{0x56, 0xb4, 0xe9, 0xff}, // sky blue
		ink,
		{0x88, 0x88, 0x88, 0xff}, // grey
	}[i%styles]
}

func lineStyle(i int) draw.LineStyle {
	dashes := [styles][]vg.Length{
		nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 4}, {4, 2, 1, 2, 1, 2}, {1, 3}, {10, 2, 4, 2},
	}
	return draw.LineStyle{Color: lineColor(i), Width: 1.75, Dashes: dashes[(i+i/styles)%styles]}
}

func glyphStyle(i int) draw.GlyphStyle {
	shapes := [styles]draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{},
		draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PlusGlyph{},
	}
	return draw.GlyphStyle{Color: lineColor(i), Radius: 3.5, Shape: shapes[i%styles]}
}
