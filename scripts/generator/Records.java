import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Records and enums as Java sources declare them, so that a source need not compile to be read. */
final class Records {
  /** A component, and what the annotations on it say. */
  record Field(String name, String type, Map<String, String> says) {}

  /** A record, or an enum without fields; with what the annotations on it say. */
  record Type(
      String name,
      boolean isRecord,
      List<String> is,
      List<Field> fields,
      Map<String, String> annotated) {
    /** What the annotations on it say; empty where they do not. */
    String says(final String what) {
      return annotated.getOrDefault(what, "");
    }
  }

  private final Map<String, Type> types = new LinkedHashMap<>();

  static Records of(final Path... sources) throws IOException {
    final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    final Records records = new Records();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      final JavacTask task =
          (JavacTask)
              compiler.getTask(null, files, null, null, null, files.getJavaFileObjects(sources));
      for (final var unit : task.parse()) {
        unit.getTypeDecls().forEach(each -> records.add("", (ClassTree) each));
      }
    }
    return records;
  }

  private void add(final String prefix, final ClassTree type) {
    final String name = prefix + type.getSimpleName();
    if (type.getKind() == Kind.RECORD || type.getKind() == Kind.ENUM) {
      types.put(
          name,
          new Type(
              name,
              type.getKind() == Kind.RECORD,
              type.getImplementsClause().stream().map(Tree::toString).toList(),
              type.getMembers().stream()
                  .filter(VariableTree.class::isInstance)
                  .map(VariableTree.class::cast)
                  .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                  .map(
                      field ->
                          new Field(
                              field.getName().toString(),
                              field.getType().toString(),
                              says(field.getModifiers())))
                  .toList(),
              says(type.getModifiers())));
    }
    type.getMembers().stream()
        .filter(ClassTree.class::isInstance)
        .forEach(each -> add(name + ".", (ClassTree) each));
  }

  private static Map<String, String> says(final ModifiersTree modifiers) {
    final Map<String, String> says = new HashMap<>();
    for (final AnnotationTree annotation : modifiers.getAnnotations()) {
      for (final var argument : annotation.getArguments()) {
        if (argument instanceof final AssignmentTree each) {
          says.put(each.getVariable().toString(), each.getExpression().toString());
        }
      }
    }
    return says;
  }

  /** Those that implement an interface, in the order in which they are declared. */
  List<Type> of(final String parent) {
    return types.values().stream().filter(each -> each.is.contains(parent)).toList();
  }

  /** One by the name that another calls it. */
  Type named(final String name, final String parent) {
    final Type nested = types.get(parent + "." + name);
    final Type type = nested == null ? types.get(name) : nested;
    if (type == null) {
      throw new IllegalStateException("no codec for a field of type " + name + " in " + parent);
    }
    return type;
  }
}
