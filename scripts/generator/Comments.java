import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreeScanner;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The text of a source's Javadoc, as Markdown. */
final class Comments {
  private final DocTrees docs;
  private final CompilationUnitTree unit;
  private final Map<String, String> constants = new HashMap<>();

  Comments(final DocTrees docs, final CompilationUnitTree unit) {
    this.docs = docs;
    this.unit = unit;
    new TreeScanner<Void, Void>() {
      @Override
      public Void visitVariable(final VariableTree variable, final Void none) {
        constants.put("#" + variable.getName(), String.valueOf(variable.getInitializer()));
        return super.visitVariable(variable, none);
      }
    }.scan(unit, null);
  }

  /** The first sentence, as it goes on behind a colon: without its full stop. */
  String sentence(final Tree declared) {
    final DocCommentTree doc = docs.getDocCommentTree(TreePath.getPath(unit, declared));
    if (doc == null) {
      return "";
    }
    final String text = text(doc.getFirstSentence()).replaceFirst("\\.$", "");
    return text.isEmpty() ? "" : text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
  }

  /** Returns the meaning of each parameter. */
  Map<String, String> parameters(final Tree declared) {
    final Map<String, String> all = new HashMap<>();
    final DocCommentTree doc = docs.getDocCommentTree(TreePath.getPath(unit, declared));
    if (doc != null) {
      for (final DocTree tag : doc.getBlockTags()) {
        if (tag instanceof final ParamTree parameter) {
          all.put(parameter.getName().toString(), text(parameter.getDescription()));
        }
      }
    }
    return all;
  }

  private String text(final List<? extends DocTree> parts) {
    return parts.stream()
        .map(this::text)
        .collect(Collectors.joining())
        .replaceAll("\\s+", " ")
        .replace("|", "\\|");
  }

  /** A constant is said by its value, a record by the name of its entry. */
  private String text(final DocTree part) {
    return switch (part) {
      case final LiteralTree literal -> "`" + literal.getBody() + "`";
      case final LinkTree link -> {
        final String name = link.getReference().getSignature();
        yield constants.getOrDefault(name, Names.snakeCase(name).toUpperCase(Locale.ROOT));
      }
      default -> part.toString();
    };
  }
}
