#include "stiction/io/xml/xml.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refused.h"

namespace stiction {
namespace {

XmlDocument parse(const std::string& text) {
  return XmlDocument::parse(text, "a.xml");
}

TEST(Xml, NumbersAsFilesWriteThem) {
  EXPECT_EQ(1.5, parse_number(" +1.5\n"));
  EXPECT_EQ(-2e-3, parse_number("-2E-3"));
  EXPECT_EQ(0.0, parse_number("1e-999"));
  EXPECT_EQ(no_limit, parse_number("1e999"));
  EXPECT_EQ(-no_limit, parse_number("-inf"));
  EXPECT_TRUE(std::isnan(*parse_number("nan")));
  for (const char* wrong : {"", " ", "1,5", "1.5m", "0x10", "+-1", "1 2", "one", "."}) {
    EXPECT_FALSE(parse_number(wrong)) << wrong;
  }
}

TEST(Xml, Utf8) {
  const auto npos = std::string_view::npos;
  EXPECT_EQ(npos, find_invalid_utf8("plain ö € \xF0\x9F\xA4\x96"));
  EXPECT_EQ(1u, find_invalid_utf8("a\xE4z"));            // Latin-1
  EXPECT_EQ(0u, find_invalid_utf8("\xC0\x80"));          // overlong
  EXPECT_EQ(0u, find_invalid_utf8("\xED\xA0\x80"));      // surrogate
  EXPECT_EQ(0u, find_invalid_utf8("\xF4\x90\x80\x80"));  // beyond the last character
  EXPECT_EQ(2u, find_invalid_utf8("ab\xE2\x82"));        // cut off
  EXPECT_EQ(1u, find_invalid_utf8(std::string_view("a\0b", 3)));
}

TEST(Xml, ReadsValuesWithFallbacks) {
  const XmlDocument document = parse(
      "\xEF\xBB\xBF<?xml version='1.0'?>\n<robot name=' r '>\n"
      " <a xyz='1 2\t3' n='4' yes='true' far='inf'/> <t> 1 <!-- two --> 2 </t></robot>");
  const XmlElement a = document.root().child("a");
  EXPECT_EQ("r", document.root().attribute("name").string());
  EXPECT_EQ(Vector3(1, 2, 3), a.attribute("xyz").vector3());
  EXPECT_EQ(4, a.attribute("n").integer());
  EXPECT_TRUE(a.attribute("yes").boolean());
  EXPECT_EQ(no_limit, a.attribute("far").number_or_infinity());
  EXPECT_EQ(7.0, a.attribute("absent").number(7.0));
  EXPECT_EQ(7.0, a.child("absent").child("deeper").attribute("x").number(7.0));
  EXPECT_EQ((std::vector<double>{1, 2}), document.root().text_of("t").numbers(2));
  EXPECT_EQ(3, a.line());
}

TEST(Xml, RefusalsNameFileLineElementAndValue) {
  const XmlDocument document =
      parse("<robot>\n<link name='arm'>\n<origin xyz='1 2' n='x' e='' far='1e999'/></link></robot>");
  const XmlElement link = document.root().child("link"), origin = link.child("origin");
  EXPECT_REFUSED(origin.attribute("xyz").vector3(), "a.xml:3: <origin xyz=\"1 2\">: 3 numbers are wanted, there are 2");
  EXPECT_REFUSED(origin.attribute("n").number(), "a.xml:3: <origin n=\"x\">: a number is wanted");
  EXPECT_REFUSED(origin.attribute("n").vector3(), ": x is not a number");
  EXPECT_REFUSED(origin.attribute("e").string(), "empty");
  EXPECT_REFUSED(origin.attribute("far").number(), "finite");
  EXPECT_REFUSED(origin.attribute("rpy").vector3(), "a.xml:3: <origin>: attribute rpy: it is missing");
  EXPECT_REFUSED(link.required_child("mass"), "a.xml:2: <link name=\"arm\">: <mass>: it is missing");
  EXPECT_REFUSED(link.child("inertial").child("mass").attribute("value").number(),
                 "a.xml:2: <link name=\"arm\">: <inertial>: attribute value: it is missing");
  EXPECT_REFUSED(link.refuse("no"), "a.xml:2: <link name=\"arm\">: no");
}

TEST(Xml, RefusesWhatIsNotSound) {
  EXPECT_REFUSED(parse(""), "a.xml: the file is empty");
  EXPECT_REFUSED(parse(" \n\t"), "empty");
  EXPECT_REFUSED(parse("<a>\n<b></a>"), "a.xml:2: not well-formed XML");
  EXPECT_REFUSED(parse("<a/>\n<b/>"), "a.xml:2: a second root element <b>");
  EXPECT_REFUSED(parse("<!-- nothing -->"), "a.xml");
  EXPECT_REFUSED(parse("<a>\nM\xFCller</a>"), "a.xml:2: byte 252");
  EXPECT_REFUSED(parse("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>"), "entities");
  EXPECT_REFUSED(parse("<a><b/>\n<b/></a>").root().child("b"), "a.xml:2: <b>: there is a <b> already, in line 1");
  std::string deep;
  for (int k = 0; k < 1000; ++k) deep += "<a>";
  for (int k = 0; k < 1000; ++k) deep += "</a>";
  EXPECT_REFUSED(parse(deep), "nested more than 200 deep");
  EXPECT_REFUSED(XmlDocument::read("/nowhere/a.xml"), "/nowhere/a.xml: there is no such file");
  EXPECT_REFUSED(XmlDocument::read("/tmp"), "folder");
  EXPECT_NO_THROW(parse("<!DOCTYPE a><a/>"));
}

TEST(Xml, TellsWhatNobodyAskedFor) {
  const XmlDocument document = parse(R"(<robot xmlns:xacro="x">
<link name="a"><visual/><mass value="1" unit="kg"/></link>
<link name="b"><visual/><visual/>words</link>
<gazebo reference="c"><x/></gazebo><used><inner/></used></robot>)");
  for (const XmlElement& link : document.root().children("link")) {
    link.attribute("name").string();
    link.child("mass").attribute("value");
    for (const XmlElement& visual : link.children("visual")) visual.ignore("only to be seen");
  }
  document.root().child("used").accept();
  std::vector<IgnoredElement> ignored;
  document.report_unused(ignored);
  ASSERT_EQ(4u, ignored.size());
  EXPECT_EQ("<visual> in <link> 'a', 'b' and 1 more", ignored[0].element);
  EXPECT_EQ("only to be seen", ignored[0].reason);
  EXPECT_EQ(2, ignored[0].line);
  EXPECT_EQ("a.xml", ignored[0].file);
  EXPECT_EQ("attribute unit of <mass> in <link> 'a'", ignored[1].element);
  EXPECT_EQ("text in <link> 'b'", ignored[2].element);
  EXPECT_EQ("<gazebo> 'c'", ignored[3].element);
}

}  // namespace
}  // namespace stiction
